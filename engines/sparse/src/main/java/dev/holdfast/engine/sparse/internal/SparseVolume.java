package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReclaimingVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.engine.sparse.internal.members.MemberFailure;
import dev.holdfast.engine.sparse.internal.members.TimedCall;
import dev.holdfast.engine.sparse.internal.rebuild.Rebuilds;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.engine.sparse.internal.scrub.Scrubs;
import dev.holdfast.engine.sparse.internal.volume.ChainCoordinator;
import dev.holdfast.engine.sparse.internal.volume.HandoverState;
import dev.holdfast.engine.sparse.internal.volume.ReplicaAccess;
import dev.holdfast.engine.sparse.internal.volume.TrimReclaim;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** An open volume of this engine. */
final class SparseVolume
    implements SnapshotVolume,
        ExpandableVolume,
        RebuildableVolume,
        ReducibleVolume,
        HandoverVolume,
        ReclaimingVolume,
        ScrubbableVolume {
  // Number of time-outs after which requests to an only replica count as hanging.
  private static final int HANGING = 4;

  private final VolumeContext parts;
  private final long attempt;
  private final Consumer<SparseVolume> whenClosed;
  private final Rebuilds rebuilds;
  private final Scrubs scrubs;
  private final TrimReclaim reclaim;
  private final Object sweeps = new Object();
  // Guarded by sweeps.
  private boolean sweeping;
  private boolean swept;
  // Guarded by this.
  private boolean released;

  /**
   * Serves an opened volume.
   *
   * @param attempt number of the hand-over that continued it, 0 after an opening without hand-over
   */
  SparseVolume(
      VolumeContext parts, ReplicaAccess access, Consumer<SparseVolume> whenClosed, long attempt) {
    this.parts = parts;
    this.attempt = attempt;
    this.rebuilds = new Rebuilds(parts, access, HandoverState.session(attempt));
    this.scrubs = new Scrubs(parts);
    this.reclaim = new TrimReclaim(parts);
    parts.device().prepareTrims(reclaim);
    this.whenClosed = whenClosed;
  }

  @Override
  public BlockDevice device() {
    return parts.device();
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return parts.modes().all();
  }

  @Override
  public SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException {
    Optional<SnapshotInfo> known = present(request.name());
    if (known.isEmpty()) {
      requireFree(request.name());
      parts.structure().run(operation(request), () -> {});
      known = find(request.name());
    }
    return known.orElseThrow(() -> noSnapshot(request.name()));
  }

  private static ChainOperation operation(SnapshotRequest request) {
    return new ChainOperation(
        UUID.randomUUID().toString(),
        ChainOperation.Kind.SNAPSHOT,
        request.name(),
        request.userCreated(),
        request.created().toString(),
        request.labels(),
        0);
  }

  @Override
  public SnapshotVolume.Prepared prepareSnapshot(SnapshotRequest request) throws StorageException {
    if (present(request.name()).isPresent()) {
      return ReclaimingVolume.super.prepareSnapshot(request);
    }
    requireFree(request.name());
    ChainCoordinator.Prepared operation = parts.structure().prepare(operation(request));
    return new SnapshotVolume.Prepared() {
      @Override
      public SnapshotInfo take() throws StorageException {
        operation.perform();
        return find(request.name()).orElseThrow(() -> noSnapshot(request.name()));
      }

      @Override
      public void close() throws StorageException {
        operation.close();
      }
    };
  }

  private Optional<SnapshotInfo> present(String name) throws StorageException {
    return find(name).filter(known -> !known.removed());
  }

  /**
   * A replica keeps a removed snapshot while another volume shares its data there, even if the
   * other replicas no longer have the snapshot. A new snapshot of the same name would have two
   * contents.
   */
  private void requireFree(String name) throws StorageException {
    for (Member member : parts.members().team().data()) {
      if (member.chain().snapshots().stream().anyMatch(known -> known.name().equals(name))) {
        throw new StorageException(
            ErrorCode.BUSY,
            "volume "
                + parts.name()
                + " still has data of a removed snapshot "
                + name
                + " in replica "
                + member.name()
                + ": choose another name, or delete the volume that was cloned from it");
      }
    }
  }

  private Optional<SnapshotInfo> find(String name) throws StorageException {
    return snapshots().stream().filter(snapshot -> snapshot.name().equals(name)).findFirst();
  }

  private StorageException noSnapshot(String name) {
    return new StorageException(
        ErrorCode.NOT_FOUND, "volume " + parts.name() + " has no snapshot " + name);
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    return parts.structure().snapshots();
  }

  @Override
  public void deleteSnapshot(String name) throws StorageException {
    Optional<SnapshotInfo> known = find(name);
    if (known.isPresent() && !known.get().removed()) {
      parts.structure().run(operation(ChainOperation.Kind.REMOVE, name, 0), () -> {});
    }
    parts.structure().coalesce();
  }

  @Override
  public void revert(String name) throws StorageException {
    var unused = find(name).filter(known -> !known.removed()).orElseThrow(() -> noSnapshot(name));
    parts.structure().run(operation(ChainOperation.Kind.REVERT, name, 0), () -> {});
    parts.structure().coalesce();
  }

  private static ChainOperation operation(ChainOperation.Kind kind, String snapshot, long size) {
    // All replicas record the same time.
    String created = Instant.now().toString();
    return new ChainOperation(
        UUID.randomUUID().toString(), kind, snapshot, false, created, Map.of(), size);
  }

  @Override
  public void purge() {
    parts.structure().coalesce();
  }

  @Override
  public BlockDevice openSnapshot(String name) throws StorageException {
    parts.structure().lock(name);
    boolean found = false;
    try {
      found = find(name).isPresent();
    } finally {
      if (!found) {
        parts.structure().unlock(name);
      }
    }
    if (!found) {
      throw noSnapshot(name);
    }
    return new SnapshotDevice(name, device().size(), parts.structure(), parts.executor());
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    parts
        .structure()
        .ask(
            chain -> {
              chain.changes(older, newer, visitor);
              return visitor;
            });
  }

  @Override
  public void trimRemovesSnapshots(boolean enabled) {
    reclaim.enable(enabled);
  }

  @Override
  public void expand(long newSizeBytes) throws StorageException {
    long size = device().size();
    if (newSizeBytes < size || newSizeBytes % BlockIndex.BLOCK_SIZE != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + parts.name()
              + ": newSizeBytes: must be a multiple of 4096, at least "
              + size
              + ": "
              + newSizeBytes);
    }
    if (newSizeBytes > size) {
      parts
          .structure()
          .run(
              operation(ChainOperation.Kind.EXPAND, "", newSizeBytes),
              () -> parts.intents().grow(newSizeBytes));
      parts.device().grow(newSizeBytes);
    }
  }

  @Override
  public Rebuild rebuild(ReplicaLocation target, RebuildOptions options) throws StorageException {
    return rebuilds.begin(target, options);
  }

  @Override
  public Scrub scrub(String snapshot, ScrubOptions options) throws StorageException {
    var unused =
        find(snapshot).filter(known -> !known.removed()).orElseThrow(() -> noSnapshot(snapshot));
    return scrubs.begin(snapshot, options);
  }

  @Override
  public void removeReplica(String replica) throws StorageException {
    parts.structure().remove(replica);
  }

  /** Clears marks that are no longer needed, unless another thread is clearing them. */
  void sweep() {
    synchronized (sweeps) {
      if (sweeping || swept) {
        return;
      }
      sweeping = true;
    }
    try {
      // A sweep waits for requests in flight, so the caller must not hold a lock.
      parts.sweeper().sweep();
    } finally {
      synchronized (sweeps) {
        sweeping = false;
        sweeps.notifyAll();
      }
    }
  }

  /** Starts no further sweep; a running one ends as soon as the device is closed. */
  private void endSweeps() {
    synchronized (sweeps) {
      swept = true;
    }
  }

  private void awaitSweep() {
    synchronized (sweeps) {
      Uninterruptibly.awaitWhile(sweeps, () -> sweeping);
    }
  }

  /**
   * Ends the volume because a replica admitted another engine. After the return this volume has no
   * effect on replicas.
   */
  synchronized void supersede(String by) {
    if (!released) {
      parts
          .keeper()
          .fail(
              new StorageException(
                  ErrorCode.FORBIDDEN, "volume " + parts.name() + " was taken over by " + by));
      endSweeps();
      parts.device().close();
      awaitSweep();
      stopWork();
      release();
    }
  }

  @Override
  public void close() throws StorageException {
    // Before the lock: another call may hold the monitor and wait for the requests that this
    // hurries.
    parts.hurry();
    closeInOrder();
  }

  private synchronized void closeInOrder() throws StorageException {
    if (released) {
      return;
    }
    endSweeps();
    try {
      if (!closeDevice()) {
        parts.endHanging();
        throw new StorageException(
            ErrorCode.TIMEOUT,
            "volume "
                + parts.name()
                + " was closed while its disk did not answer; the next attach repairs it");
      }
      awaitSweep();
      stopWork();
      if (!parts.keeper().faulted()) {
        seal();
      }
    } finally {
      release();
    }
  }

  // Threads of clients execute the requests to an only local replica and hang with the disk. All
  // other requests end by their time-outs.
  private boolean closeDevice() {
    if (parts.members().team().writers().length > 1) {
      parts.device().close();
      return true;
    }
    return TimedCall.endsWithin(
        parts.request().options().replicaTimeout().multipliedBy(HANGING),
        parts.device()::close,
        parts.executor(),
        parts.clock());
  }

  private void stopWork() {
    rebuilds.stop();
    scrubs.stop();
  }

  @Override
  public Handover handOver(boolean lasting) throws StorageException {
    if (lasting) {
      // Before the lock, as in close(). A hand-over that may be refused must leave the volume
      // unchanged.
      parts.hurry();
    }
    return handOverInOrder(lasting);
  }

  private synchronized Handover handOverInOrder(boolean lasting) throws StorageException {
    if (released) {
      throw new StorageException(ErrorCode.IO, "volume " + parts.name() + " is closed");
    }
    if (!lasting) {
      requireQuiet();
    }
    parts.hurry();
    endSweeps();
    parts.device().close();
    awaitSweep();
    stopWork();
    try {
      if (lasting && !parts.keeper().faulted()) {
        seal();
      }
      if (!parts.keeper().settled()) {
        throw new StorageException(
            ErrorCode.IO, "volume " + parts.name() + " failed while it was handed over");
      }
      return HandoverState.of(parts, attempt);
    } finally {
      release();
    }
  }

  // An engine that continues an opening needs every member and makes no membership decision.
  private void requireQuiet() throws StorageException {
    boolean all = parts.members().current().stream().allMatch(Member::works);
    boolean operation = !parts.record().stored().pendingOperation().isEmpty();
    if (!all || operation || !parts.keeper().settled()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + parts.name()
              + (all ? " is being changed" : " waits for a replica")
              + "; it is not handed over now");
    }
  }

  private void seal() throws StorageException {
    // Sync all replicas before closing the first: if a replica cleared its marks while another is
    // not yet durable, a difference would have no mark.
    for (MemberFailure failure : parts.fan().each(data(), BlockingMemberIo::sync)) {
      parts.keeper().drop(failure.member(), failure.cause());
    }
    if (!parts.keeper().settledAtClose()) {
      throw new StorageException(
          ErrorCode.IO,
          "volume "
              + parts.name()
              + " was closed before a failed replica could be dropped, because the register was "
              + "unreachable; the next attach repairs it");
    }
    for (MemberFailure failure : parts.fan().each(data(), Member::seal)) {
      throw new StorageException(
          failure.cause().code(),
          "volume "
              + parts.name()
              + " did not close cleanly; the next attach repairs it: "
              + failure.cause().getMessage(),
          failure.cause());
    }
  }

  private List<Member> data() {
    return parts.members().team().data();
  }

  private void release() {
    released = true;
    parts.opened().forEach(Member::close);
    whenClosed.accept(this);
  }
}
