package dev.holdfast.datapath.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Engine whose volumes are exported by a process outside; one volume. */
final class LastingEngine implements HandoverEngine, LastingExportEngine {
  private final LastingMachine machine;
  final List<String> calls = new ArrayList<>();
  BiConsumer<Long, OpenRequest> adoptions = (generation, request) -> {};

  LastingEngine(LastingMachine machine) {
    this.machine = machine;
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.REMOTE_REPLICAS,
        EngineCapability.HANDOVER,
        EngineCapability.NATIVE_EXPORT,
        EngineCapability.LASTING_EXPORT);
  }

  @Override
  public Set<String> nativeProtocols() {
    return machine.protocols;
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
    calls.add("provision");
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) {
    calls.add("delete");
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.of(new ReplicaInfo(LastingMachine.SIZE, 0, machine.open.isEmpty()));
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    calls.add("open");
    Membership before = request.register().read();
    long generation = before.generation() + 1;
    Membership next =
        new Membership(generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of("r")));
    if (!request.register().compareAndSet(before, next)) {
      throw new StorageException(ErrorCode.CONFLICT, "vol: opened elsewhere");
    }
    if (!machine.defects.contains(LastingMachine.Defect.KEEPS_WHAT_WAS_LEFT)) {
      machine.exports.clear();
    }
    return serve(generation, request);
  }

  private LastingVolume serve(long generation, OpenRequest request) {
    machine.engineDied();
    machine.generation = generation;
    LastingVolume opened = new LastingVolume(machine, request.listener());
    machine.open = Optional.of(opened);
    return opened;
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) {
    calls.add("resume");
    return serve(machine.generation, request);
  }

  @Override
  public OptionalLong leftServing(ReplicaLocation replica) {
    return machine.exports.isEmpty() ? OptionalLong.empty() : OptionalLong.of(machine.generation);
  }

  @Override
  public OpenVolume adopt(OpenRequest request) throws StorageException {
    calls.add("adopt");
    if (machine.exports.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "vol: nothing was left");
    }
    Membership now = request.register().read();
    boolean current =
        now.generation() == machine.generation && now.owner().equals(request.nodeId());
    if (!current && !machine.defects.contains(LastingMachine.Defect.ADOPTS_OLD_GENERATION)) {
      machine.exports.clear();
      throw new StorageException(ErrorCode.CONFLICT, "vol: " + now.owner() + " serves it");
    }
    machine.exports.values().forEach(shown -> shown.held = false);
    adoptions.accept(machine.generation, request);
    return serve(machine.generation, request);
  }

  @Override
  public void withdrawLeft(ReplicaLocation replica) throws StorageException {
    calls.add("withdrawLeft");
    if (machine.open.isPresent()) {
      throw new StorageException(ErrorCode.BUSY, "vol is open here: detach it");
    }
    if (!machine.defects.contains(LastingMachine.Defect.KEEPS_WHAT_WAS_LEFT)) {
      for (String protocol : Set.copyOf(machine.exports.keySet())) {
        machine.withdraw(protocol);
      }
    }
  }
}
