package dev.holdfast.engine.testkit;

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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Engine over a toy process, with at most one fault. */
final class ToyEngine implements HandoverEngine, LastingExportEngine {
  private static final int FORMAT = 1;

  /** The machine of a lab: its process, and the opening that has it. */
  static final class Machine {
    final ToyFault fault;
    ToyProcess process;
    ToyNbdServer server;
    ToyVolume open;

    Machine(ToyFault fault) {
      this.fault = fault;
    }

    void end() throws IOException {
      if (process != null) {
        process.withdrawAll();
        server.close();
      }
    }
  }

  private final Machine machine;

  ToyEngine(Machine machine) {
    this.machine = machine;
  }

  /** Ends as a killed process does. */
  void kill() {
    if (machine.open != null) {
      machine.open.forget();
      machine.open = null;
    }
    if (machine.fault == ToyFault.ENDS_WITH_ENGINE) {
      machine.process.withdrawAll();
    }
  }

  @Override
  public String name() {
    return "toy";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.HANDOVER, EngineCapability.NATIVE_EXPORT, EngineCapability.LASTING_EXPORT);
  }

  @Override
  public Set<String> nativeProtocols() {
    return Set.of(machine.fault == ToyFault.DECLARES_OTHER_PROTOCOL ? "nvme" : "nbd");
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    try {
      machine.process = new ToyProcess(machine.fault, sizeBytes);
      machine.server = new ToyNbdServer(machine.process);
    } catch (IOException e) {
      throw StorageException.io("toy", e);
    }
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) {
    machine.process = null;
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.ofNullable(machine.process)
        .map(process -> new ReplicaInfo(process.bytes.length, 0, machine.open == null));
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    Membership before = request.register().read();
    long generation = before.generation() + 1;
    Membership next =
        new Membership(generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of("toy")));
    if (!request.register().compareAndSet(before, next)) {
      throw new StorageException(ErrorCode.CONFLICT, "vol: opened elsewhere");
    }
    if (machine.open != null) {
      machine.open.forget();
    }
    if (machine.fault != ToyFault.TAKEOVER_KEEPS_EXPORT) {
      machine.process.withdrawAll();
    }
    machine.process.generation = generation;
    return serve();
  }

  private ToyVolume serve() {
    machine.open = new ToyVolume(machine);
    return machine.open;
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    if (ByteBuffer.wrap(handover.state()).getLong() != machine.process.generation) {
      throw new StorageException(ErrorCode.CONFLICT, "vol: a later generation serves");
    }
    return serve();
  }

  static Handover handover(Machine machine) {
    if (machine.fault == ToyFault.HANDOVER_ENDS_EXPORT) {
      machine.process.withdrawAll();
    }
    byte[] state = ByteBuffer.allocate(8).putLong(machine.process.generation).array();
    machine.open = null;
    return new Handover(FORMAT, 1, state, Map.of());
  }

  @Override
  public OptionalLong leftServing(ReplicaLocation replica) {
    return machine.process.isServing()
        ? OptionalLong.of(machine.process.generation)
        : OptionalLong.empty();
  }

  @Override
  public OpenVolume adopt(OpenRequest request) throws StorageException {
    if (!machine.process.isServing()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "vol: nothing was left serving");
    }
    if (machine.fault == ToyFault.WITHDRAWS_WITHOUT_REGISTER) {
      machine.process.withdrawAll();
    }
    Membership record = request.register().read();
    if (record.generation() != machine.process.generation
        && machine.fault != ToyFault.ADOPTS_OLD_GENERATION) {
      machine.process.withdrawAll();
      throw new StorageException(ErrorCode.CONFLICT, "vol: " + record.owner() + " serves it");
    }
    machine.process.releaseHolds();
    return serve();
  }

  @Override
  public void withdrawLeft(ReplicaLocation replica) throws StorageException {
    if (machine.open != null) {
      throw new StorageException(ErrorCode.BUSY, "vol is open here: detach it");
    }
    if (machine.fault != ToyFault.KEEPS_WHAT_WAS_LEFT) {
      machine.process.withdrawAll();
    }
  }
}
