package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolDecider.NodeView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lets this node make its steps about a pool, one after the other, until it waits for another node
 * or has nothing to do. The lock of the pool guards it.
 */
final class PoolPass {
  private static final int MOST_STEPS = 100;

  private final PoolRecords records;
  private final LvmGroup lvm;
  private final PoolHost host;
  private final GroupLocks locks;
  private final PoolPeers peers;
  private final InstantSource clock;
  private final String node;

  PoolPass(
      PoolRecords records,
      LvmGroup lvm,
      PoolHost host,
      GroupLocks locks,
      PoolPeers peers,
      InstantSource clock,
      String node) {
    this.records = records;
    this.lvm = lvm;
    this.host = host;
    this.locks = locks;
    this.peers = peers;
    this.clock = clock;
    this.node = node;
  }

  /**
   * Makes the steps.
   *
   * @return the step at which it ended, which waits or is done
   * @throws StorageException BUSY naming the holder, while another host has the lock; what a step
   *     failed with
   */
  PoolStep run(String id, PoolMemory memory) throws StorageException {
    Optional<Boolean> active = Optional.empty(); // asked again after a step that may change it
    for (int n = 0; n < MOST_STEPS; n++) {
      Optional<PoolRecords.Version> version = records.read(id);
      if (version.isEmpty()) {
        memory.forget();
        return PoolStep.of(PoolStep.Kind.DONE);
      }
      PoolRecord pool = version.get().pool();
      if (!pool.isThin()) {
        return PoolStep.of(PoolStep.Kind.DONE);
      }
      memory.begin(pool.place().generation());
      active = Optional.of(active.isPresent() ? active.get() : host.isActive(pool));
      PoolStep step = PoolDecider.next(pool, view(pool, memory, active.get()));
      if (step.kind() == PoolStep.Kind.DONE) {
        memory.settled(version.get().stored().version());
      }
      if (step.kind() == PoolStep.Kind.WAIT || step.kind() == PoolStep.Kind.DONE) {
        return step;
      }
      make(step, version.get(), memory);
      active = step.kind().keepsHost() ? active : Optional.empty();
    }
    throw new StorageException(
        ErrorCode.BUSY, "pool " + lvm.name() + "/" + id + " is changed all the time: try again");
  }

  private NodeView view(PoolRecord pool, PoolMemory memory, boolean active)
      throws StorageException {
    return new NodeView(
        node,
        active,
        memory.exports(pool.place().generation()),
        memory.devices(),
        lost(pool, active));
  }

  private Set<String> lost(PoolRecord pool, boolean active) throws StorageException {
    PoolPlace place = pool.place();
    Set<String> others = new TreeSet<>(place.connected().keySet());
    others.add(place.activeOn());
    others.add(place.wantedOn());
    others.remove("");
    others.remove(node);
    Set<String> silent = new HashSet<>();
    for (String other : others) {
      if (!peers.isReachable(other)) {
        silent.add(other);
      }
    }
    boolean counts = silent.isEmpty() || active || holder(pool).isEmpty();
    return counts ? silent : Set.of();
  }

  /** Returns the host that has the lock of a pool, when its lease has not expired. */
  Optional<LockHolder> holder(PoolRecord pool) throws StorageException {
    LogicalVolume volume = lvm.volumes().get(BlobNames.pool(pool.id()));
    if (volume == null) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    return locks
        .holder(lvm.name(), volume.uuid())
        .filter(present -> present.expiresAt().isAfter(now));
  }

  private void make(PoolStep step, PoolRecords.Version version, PoolMemory memory)
      throws StorageException {
    PoolRecord pool = version.pool();
    switch (step.kind()) {
      case RECORD -> record(version, step.place().orElseThrow(), memory);
      case RELEASE -> host.release(pool, memory);
      case DEACTIVATE -> host.deactivate(pool, memory);
      case ACTIVATE -> activate(pool);
      case EXPORT -> host.export(pool, memory);
      case CONNECT -> host.connect(pool, memory);
      case WAIT, DONE -> {}
    }
  }

  /** When another node has changed the record, the next step follows from its change. */
  private void record(PoolRecords.Version version, PoolPlace next, PoolMemory memory)
      throws StorageException {
    try {
      PoolRecords.Version unused = records.replace(version, version.pool().at(next));
      memory.recorded(version.pool().place(), next, node);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
    }
  }

  private void activate(PoolRecord pool) throws StorageException {
    try {
      host.activate(pool);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.BUSY) {
        throw e;
      }
      throw new StorageException(
          ErrorCode.BUSY,
          "pool "
              + lvm.name()
              + "/"
              + pool.id()
              + " is active on another host"
              + holder(pool).map(present -> ": " + present).orElse("")
              + ": drain that host or power it off",
          e);
    }
  }
}
