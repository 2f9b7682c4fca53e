package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open volume. Its monitor is held by each step that changes the target or the record, and not
 * by requests to the device. Thread-safe.
 */
public final class SpdkVolume
    implements ExportingVolume,
        SnapshotVolume,
        ExpandableVolume,
        ReducibleVolume,
        RebuildableVolume,
        HandoverVolume {
  private static final Logger LOG = LoggerFactory.getLogger(SpdkVolume.class);

  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final SpdkContext context;
  private final OpenRequest request;
  private final SpdkLegs legs;
  private final SpdkQuiesce quiesce;
  private final SpdkDevice device;
  private final SpdkSnapshots snapshots;
  private final SpdkChanges changes;
  private final LegWatch watch;
  private final TargetWatch targetWatch;
  private final SpdkRebuilds rebuilds;
  private final SpdkRestoration restoration;
  private final VolumeRecovery recovery;
  private final LegDecisions decisions;
  private final LegRemoval removal;
  private final SpdkGrowth growth;
  private final TargetPause pause;
  private final Consumer<SpdkVolume> closed;
  private Optional<NvmeExport> export = Optional.empty();
  private boolean ended;

  /**
   * Creates an open volume.
   *
   * @param below connection to the live content
   * @param closed called when the opening has ended
   */
  SpdkVolume(
      SpdkContext context,
      OpenRequest request,
      SpdkLegs legs,
      SpdkMembers members,
      BlockDevice below,
      Consumer<SpdkVolume> closed) {
    this.context = context;
    this.request = request;
    this.legs = legs;
    this.closed = closed;
    this.device =
        new SpdkDevice("volume " + request.volume(), below, legs.record().sizeBytes(), this::lost);
    this.quiesce = new SpdkQuiesce(device);
    this.recovery = new VolumeRecovery(context, request, legs, this::restoreNow, this::giveUp);
    this.targetWatch = new TargetWatch(context.target(), legs);
    this.watch = new LegWatch(legs.remote(), context.patience(), System::nanoTime);
    this.pause = new TargetPause(legs, device, quiesce, this::lost);
    this.growth = new SpdkGrowth(request, legs, quiesce, device);
    this.decisions = new LegDecisions(request, legs, members, watch);
    this.removal = new LegRemoval(legs, decisions, quiesce, device);
    this.snapshots = new SpdkSnapshots(legs, device, quiesce);
    this.changes = new SpdkChanges(legs, device, snapshots, context.clusters());
    this.rebuilds =
        new SpdkRebuilds(
            new OpenParts(context, request, legs, members, quiesce, device, snapshots, this),
            () -> ended);
    this.restoration = new SpdkRestoration(context, request, legs, members);
  }

  /** Returns the current replica in a place. */
  public synchronized Optional<ReplicaLeg> leg(ReplicaLocation location) {
    return legs.all().stream().filter(leg -> leg.place().location().equals(location)).findFirst();
  }

  /** Returns the name of the volume. */
  public String name() {
    return request.volume();
  }

  private LegRecord record() {
    return legs.record();
  }

  private void requireOpen() throws StorageException {
    if (ended) {
      throw new StorageException(
          ErrorCode.IO, "volume " + request.volume() + " is closed: open it again");
    }
    if (isInterrupted()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "volume " + request.volume() + ": is being restored in its target: try again");
    }
  }

  private boolean isInterrupted() {
    return recovery.isRunning() || pause.isActive();
  }

  private void lost(StorageException cause) {
    if (recovery.begin(cause)) {
      rebuilds.cancel();
    }
  }

  /** Returns whether it is being restored. */
  public boolean isRestoring() {
    return recovery.isRunning();
  }

  /** Returns whether {@link #check} has not found it whole over a connection to the target. */
  public boolean isDue(long connection) {
    return !isRestoring() && targetWatch.isDue(connection);
  }

  /**
   * Restores the volume if its target lacks a part of it.
   *
   * @param shown names of the subsystems of the target, asked over this connection or a later one
   */
  public void check(Set<String> shown, long connection) {
    Optional<StorageException> problem;
    synchronized (this) {
      boolean due = !ended && isDue(connection);
      problem = due ? targetWatch.problem(shown, connection) : Optional.empty();
    }
    problem.ifPresent(this::lost);
  }

  /** Returns the name of its subsystem. */
  public String nqn() {
    return legs.nqn();
  }

  /** Drains the volume before a planned end of its target; until {@link #resume} requests wait. */
  public synchronized void pause() throws StorageException {
    requireIdle();
    pause.begin();
  }

  /** Ends a pause. Over a process that was, or may be, another one the volume is restored. */
  public synchronized void resume(boolean replaced) {
    if (!ended) {
      pause.resume(replaced);
    }
  }

  private void restoreNow() throws StorageException {
    rebuilds.end();
    synchronized (this) {
      if (ended) {
        return;
      }
      device.cut();
      restoration.confirm();
      long connection = targetWatch.connection();
      BlockDevice below = restoration.run();
      try {
        if (isExported()) {
          export.orElseThrow().restore();
        }
        targetWatch.requireSame(connection);
        restoration.markOpen();
        pause.end();
        targetWatch.found(connection);
      } catch (StorageException e) {
        below.close();
        throw e;
      }
      recovery.ended();
      device.reconnect(below, record().sizeBytes());
      snapshots.purgeRest();
    }
    LOG.info("volume {}: restored with replicas {}", request.volume(), replicas());
    request.listener().exportChanged();
  }

  /** Fails the requests. What another opening made of the target stays. */
  private void giveUp(StorageException cause) {
    synchronized (this) {
      if (ended) {
        return;
      }
      device.end(cause.code(), String.valueOf(cause.getMessage()));
      if (cause.code() == ErrorCode.CONFLICT || cause.code() == ErrorCode.FORBIDDEN) {
        leave();
      }
    }
    LOG.warn("volume {}: could not be restored: {}", request.volume(), cause.getMessage());
    request.listener().failed(cause);
  }

  /** Ends this opening because a later one of this process begins. The target is not changed. */
  public void supersede() {
    synchronized (this) {
      if (ended) {
        return;
      }
      rebuilds.cancel();
      device.end(ErrorCode.FORBIDDEN, "a later opening took over");
      leave();
    }
    request
        .listener()
        .failed(
            new StorageException(
                ErrorCode.FORBIDDEN, "volume " + request.volume() + ": a later opening took over"));
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public synchronized Map<String, MemberMode> replicas() {
    Map<String, MemberMode> modes = new TreeMap<>();
    request.replicas().forEach(each -> modes.put(each.replica(), MemberMode.ERR));
    legs.all().forEach(leg -> modes.put(leg.name(), MemberMode.RW));
    legs.joining().ifPresent(leg -> modes.put(leg.name(), MemberMode.WO));
    return modes;
  }

  @Override
  public synchronized Rebuild rebuild(ReplicaLocation target, RebuildOptions options)
      throws StorageException {
    requireIdle();
    Rebuild begun = rebuilds.begin(target, options);
    limitAgain();
    return begun;
  }

  private void requireIdle() throws StorageException {
    requireOpen();
    rebuilds.requireNone();
  }

  @Override
  public Set<String> protocols() {
    return Set.of(NvmeExportRules.PROTOCOL);
  }

  @Override
  public synchronized NativeExport export(ExportRequest wanted) throws StorageException {
    NvmeExportRules.check(wanted);
    requireOpen();
    Optional<NvmeExport> present = export.filter(one -> !one.isEnded());
    NvmeExport applied =
        present.orElseGet(() -> new NvmeExport(legs, context, this, wanted.export(), this::lost));
    applied.requireName(wanted.export());
    applied.apply(wanted);
    export = Optional.of(applied);
    quiesce.exported(applied);
    return applied;
  }

  @Override
  public synchronized SnapshotInfo createSnapshot(SnapshotRequest wanted) throws StorageException {
    requireIdle();
    return snapshots.create(wanted);
  }

  @Override
  public synchronized List<SnapshotInfo> snapshots() throws StorageException {
    requireOpen();
    return snapshots.list();
  }

  @Override
  public synchronized void deleteSnapshot(String name) throws StorageException {
    requireIdle();
    snapshots.delete(name);
  }

  @Override
  public synchronized void revert(String name) throws StorageException {
    requireIdle();
    snapshots.revert(name);
    limitAgain();
  }

  private void limitAgain() throws StorageException {
    if (isExported()) {
      export.orElseThrow().limitAgain();
    }
  }

  @Override
  public synchronized void purge() throws StorageException {
    requireIdle();
    snapshots.purge();
  }

  @Override
  public synchronized BlockDevice openSnapshot(String name) throws StorageException {
    requireOpen();
    return snapshots.open(name);
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    synchronized (this) {
      requireOpen();
    }
    changes.find(this, older, newer, visitor);
  }

  @Override
  public synchronized void expand(long newSizeBytes) throws StorageException {
    requireIdle();
    if (growth.to(newSizeBytes)) {
      limitAgain();
    }
  }

  /**
   * Records that the mirror dropped legs by itself. SPDK has acknowledged writes without them since
   * then, so this is done at once and tried again until the register has it. A volume that lost the
   * connection to a record is restored.
   */
  public synchronized void lookAtLegs() throws StorageException {
    if (ended || isInterrupted()) {
      return;
    }
    Optional<StorageException> loss = targetWatch.lostRecord();
    if (loss.isPresent()) {
      lost(loss.get());
    } else {
      decisions.followMirror();
    }
  }

  /**
   * Looks at the legs on other nodes, and gives up those that were away for too long: the register
   * has that decision before requests continue without a leg. The last leg is never given up. For
   * one thread at a time.
   */
  public void lookAtNodes() throws StorageException {
    List<ReplicaLeg> remotes;
    synchronized (this) {
      remotes = ended || isInterrupted() ? List.of() : legs.remotes();
    }
    try {
      if (watch.isOverdue(remotes)) {
        dropAbsent(true);
      }
    } catch (StorageException e) {
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
      lost(e);
    }
  }

  private synchronized void dropAbsent(boolean overdueOnly) throws StorageException {
    if (!ended && !(overdueOnly && isInterrupted())) {
      decisions.dropAbsent(overdueOnly);
    }
  }

  @Override
  public synchronized void removeReplica(String replica) throws StorageException {
    requireIdle();
    if (removal.of(replica)) {
      limitAgain();
    }
  }

  @Override
  public Handover handOver(boolean lasting) throws StorageException {
    rebuilds.end();
    return handedOver(lasting);
  }

  private synchronized Handover handedOver(boolean lasting) throws StorageException {
    requireIdle();
    if (export.filter(NvmeExport::isHeld).isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + request.volume() + ": its export is held: try again when the hold has ended");
    }
    Opening last = record().opening();
    SpdkHandover state = new SpdkHandover(last.generation(), SpdkOpening.identities(legs.all()));
    long session = last.session() + 1;
    if (lasting && !isExported()) {
      legs.write(each -> each.opened(new Opening(last.generation(), session - 1, true)));
    }
    device.close();
    leave();
    return state.to(session);
  }

  private boolean isExported() {
    return export.filter(one -> !one.isEnded()).isPresent();
  }

  /** Ends this object; what the target serves stays. */
  private void leave() {
    snapshots.readers().close();
    ended = true;
    export.ifPresent(NvmeExport::end);
    legs.all().forEach(ReplicaLeg::disconnect);
    closed.accept(this);
  }

  /** Ends it in order, but for an export, which continues until the next engine adopts it. */
  public void stop() throws StorageException {
    rebuilds.end();
    synchronized (this) {
      if (!ended && isExported()) {
        device.close();
        leave();
      }
    }
    closed();
  }

  /** Ends it as the end of the process does: the target is not told. */
  public synchronized void abandon() {
    if (!ended) {
      ended = true;
      rebuilds.cancel();
      device.close();
      legs.all().forEach(ReplicaLeg::disconnect);
    }
  }

  @Override
  public void close() throws StorageException {
    rebuilds.end();
    closed();
  }

  private synchronized void closed() throws StorageException {
    if (ended) {
      return;
    }
    try {
      if (isExported()) {
        export.get().close();
      }
      dropAbsent(false);
      device.hold(DRAIN);
      device.close();
      snapshots.readers().close();
      lookAtLegs();
      legs.withdraw();
      Opening last = record().opening();
      legs.write(each -> each.opened(new Opening(last.generation(), last.session(), true)));
      for (ReplicaLeg leg : legs.all()) {
        leg.release();
      }
    } catch (StorageException e) {
      decisions.withdrawIfTaken(e);
      throw e;
    } finally {
      device.close();
      leave();
    }
  }
}
