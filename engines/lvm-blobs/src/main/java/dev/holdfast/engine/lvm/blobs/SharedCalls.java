package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** Calls about pools of a shared group, each made where its pool is active. Used by one thread. */
final class SharedCalls {
  private static final int ATTEMPTS = 8;

  private final SharedGroup group;
  private final String node;
  private final PoolPeers peers;
  private final PerPool<PoolMemory> memories;
  private final PerPool<PoolDriver> drivers;

  /** Something that a pool of a group has. */
  interface PerPool<T> {
    T of(SharedGroup group, String pool);
  }

  SharedCalls(
      SharedGroup group,
      String node,
      PoolPeers peers,
      PerPool<PoolMemory> memories,
      PerPool<PoolDriver> drivers) {
    this.group = group;
    this.node = node;
    this.peers = peers;
    this.memories = memories;
    this.drivers = drivers;
  }

  /**
   * Makes a call about a pool on the node that has it active, which becomes this one if need be.
   */
  void make(BlobCall call) throws StorageException {
    String pool = group.poolOf(call.source().orElse(call.blob()));
    for (int attempt = 1; ; attempt++) {
      try {
        if (madeOnce(pool, call)) {
          return;
        }
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
      if (attempt == ATTEMPTS) {
        throw new StorageException(
            ErrorCode.BUSY, "pool " + group.name() + "/" + pool + " is being moved: try again");
      }
    }
  }

  private boolean madeOnce(String pool, BlobCall call) throws StorageException {
    Optional<PoolRecords.Version> version = group.records().read(pool);
    if (version.isEmpty() || !version.get().pool().isThin()) {
      return madeHere(pool, call);
    }
    PoolPlace place = version.get().pool().place();
    boolean serving = place.phase() == PoolPlace.Phase.SERVING;
    if (place.phase() == PoolPlace.Phase.IDLE || (serving && place.activeOn().equals(node))) {
      return madeHere(pool, call);
    }
    if (!serving) {
      drivers.of(group, pool).untilSettled();
      return false;
    }
    if (peers.isReachable(place.activeOn())) {
      peers.perform(place.activeOn(), call);
      return true;
    }
    takeOver(version.get());
    return false;
  }

  /** Takes a pool whose node does not answer, when its lock is free. */
  private void takeOver(PoolRecords.Version version) throws StorageException {
    PoolRecord pool = version.pool();
    requireFree(pool, pool.place().activeOn());
    PoolRecords.Version unused =
        group.records().replace(version, pool.at(pool.place().moving(node)));
    drivers.of(group, pool.id()).untilSettled();
  }

  /** As {@link SharedBlobManager#evict}. */
  void evict(Blob blob, String lost) throws StorageException {
    String id = group.poolOf(blob);
    Optional<PoolRecords.Version> version = group.records().read(id);
    if (version.isEmpty() || !version.get().pool().users().contains(lost)) {
      return;
    }
    if (peers.isReachable(lost)) {
      throw new StorageException(
          ErrorCode.BUSY, "blob " + blob + " is attached on node " + lost + ": detach it there");
    }
    PoolRecord pool = version.get().pool();
    if (pool.isThin() && !group.host().isActive(pool)) {
      requireFree(pool, lost);
    }
    PoolRecord left = pool;
    for (Attachment attachment : pool.attachments()) {
      left = attachment.node().equals(lost) ? left.without(attachment) : left;
    }
    PoolPlace next = pool.place().released(lost).moving(node);
    PoolRecords.Version unused = group.records().replace(version.get(), left.at(next));
    drivers.of(group, id).untilSettled();
  }

  void requireFree(PoolRecord pool, String silent) throws StorageException {
    Optional<LockHolder> holder = group.pass().holder(pool);
    if (holder.isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "node "
              + silent
              + " does not answer, and pool "
              + group.name()
              + "/"
              + pool.id()
              + " is locked by "
              + holder.get()
              + ": drain that node or power it off");
    }
  }

  private boolean madeHere(String pool, BlobCall call) throws StorageException {
    PoolMemory memory = memories.of(group, pool);
    synchronized (memory) {
      if (!claimed(pool)) {
        return false;
      }
      PoolJournal journal = new PoolJournal(group.records(), group.name(), node, pool, true);
      PoolCall made = new PoolCall(journal, group.steps());
      Blob blob = call.blob();
      try {
        switch (call.kind()) {
          case CREATE_EMPTY -> made.createEmpty(blob, call.options(), call.sizeBytes());
          case CREATE_COPY -> made.createCopy(blob, call.source().orElseThrow());
          case DELETE -> made.delete(blob);
          case EXTEND -> extend(made, journal, call);
          case ATTACH, DETACH, ABANDON -> throw new IllegalArgumentException(call.toString());
        }
      } finally {
        PoolStep unused = group.pass().run(pool, memory); // an unused pool is idle again
      }
    }
    if (call.kind() == BlobCall.Kind.EXTEND) {
      drivers.of(group, pool).untilConnected();
    }
    return true;
  }

  private static void extend(PoolCall made, PoolJournal journal, BlobCall call)
      throws StorageException {
    boolean linear = journal.exists() && !journal.pool().isThin();
    if (linear && !journal.pool().attachments(call.blob().name()).isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "blob "
              + call.blob()
              + " is linear and attached on "
              + String.join(", ", journal.pool().users())
              + ": detach it first, because LVM extends a shared linear volume only when it is"
              + " not active");
    }
    made.extend(call.blob(), call.sizeBytes());
  }

  /** Returns whether this node may work on a pool; records that it does before it begins. */
  boolean claimed(String pool) throws StorageException {
    Optional<PoolRecords.Version> version = group.records().read(pool);
    if (version.isEmpty()) {
      return true;
    }
    PoolRecord present = version.get().pool();
    PoolPlace place = present.place();
    if (place.phase() == PoolPlace.Phase.SERVING && place.activeOn().equals(node)) {
      return true;
    }
    if (present.isThin() && place.phase() != PoolPlace.Phase.IDLE) {
      return false;
    }
    PoolRecords.Version unused =
        group.records().replace(version.get(), present.at(place.active(node)));
    return true;
  }
}
