package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.replica.LegFormat;
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
import java.util.function.Consumer;

/**
 * An open volume. Its monitor is held by each step that changes the target or the record, and not
 * by requests to the device. Thread-safe.
 */
public final class SpdkVolume
    implements ExportingVolume, SnapshotVolume, ExpandableVolume, HandoverVolume {
  /** Version of the format of a hand-over. */
  static final int FORMAT = 1;

  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final SpdkContext context;
  private final OpenRequest request;
  private final ServedReplica replica;
  private final SpdkDevice device;
  private final SpdkSnapshots snapshots;
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
      ServedReplica replica,
      BlockDevice below,
      Consumer<SpdkVolume> closed) {
    this.context = context;
    this.request = request;
    this.replica = replica;
    this.closed = closed;
    this.device =
        new SpdkDevice(
            "volume " + request.volume(), below, replica.record().sizeBytes(), this::lost);
    this.snapshots = new SpdkSnapshots(replica, device);
  }

  /** Returns the replica with its record. */
  public ReplicaLeg stored() {
    return replica.stored();
  }

  private LegRecord record() {
    return replica.record();
  }

  private void requireOpen() throws StorageException {
    if (ended) {
      throw new StorageException(
          ErrorCode.IO, "volume " + request.volume() + " is closed: open it again");
    }
  }

  /** The connection ended: another engine took over, or the target does not run. */
  private void lost(StorageException cause) {
    Thread asking = new Thread(() -> report(cause), "spdk volume " + request.volume());
    asking.setDaemon(true);
    asking.start();
  }

  private void report(StorageException cause) {
    synchronized (this) {
      if (ended) {
        return;
      }
    }
    request.listener().failed(explanation(cause));
  }

  private StorageException explanation(StorageException cause) {
    try {
      long now = request.register().read().generation();
      long own = record().opening().generation();
      if (now != own) {
        return new StorageException(
            ErrorCode.FORBIDDEN,
            "volume " + request.volume() + ": was opened elsewhere in generation " + now,
            cause);
      }
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }

  /** Ends this opening because a later one of this process begins. The target is not changed. */
  public void supersede() {
    synchronized (this) {
      if (ended) {
        return;
      }
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
  public Map<String, MemberMode> replicas() {
    return Map.of(record().owner().replica(), MemberMode.RW);
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
    if (present.isPresent() && !present.get().name().equals(wanted.export())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + request.volume()
              + " has the export "
              + present.get().name()
              + ", and one subsystem shows it: withdraw that export first");
    }
    NvmeExport applied =
        present.orElseGet(() -> new NvmeExport(replica, context, this, wanted.export()));
    applied.apply(wanted);
    export = Optional.of(applied);
    return applied;
  }

  @Override
  public synchronized SnapshotInfo createSnapshot(SnapshotRequest wanted) throws StorageException {
    requireOpen();
    return snapshots.create(wanted);
  }

  @Override
  public synchronized List<SnapshotInfo> snapshots() throws StorageException {
    requireOpen();
    return snapshots.list();
  }

  @Override
  public synchronized void deleteSnapshot(String name) throws StorageException {
    requireOpen();
    snapshots.delete(name);
  }

  @Override
  public synchronized void revert(String name) throws StorageException {
    requireOpen();
    snapshots.revert(name);
    if (export.isPresent() && !export.get().isEnded()) {
      export.get().limitAgain();
    }
  }

  @Override
  public synchronized void purge() throws StorageException {
    requireOpen();
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
    snapshots.changes(this, older, newer, visitor);
  }

  /** Hosts are told by SPDK; the connection of this engine is made again. */
  @Override
  public synchronized void expand(long newSizeBytes) throws StorageException {
    requireOpen();
    long present = record().sizeBytes();
    if (newSizeBytes < present || newSizeBytes % 4_096 != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + request.volume()
              + " has "
              + present
              + " bytes: the new size must be a larger multiple of 4096, not "
              + newSizeBytes);
    }
    if (newSizeBytes == present && device.size() == present) {
      return;
    }
    replica.lvols().resize(replica.head(), newSizeBytes);
    replica.stored().write(record().sized(newSizeBytes));
    device.hold(DRAIN);
    try {
      device.replace(replica.connect(), newSizeBytes);
    } finally {
      device.release();
    }
  }

  @Override
  public synchronized Handover handOver(boolean lasting) throws StorageException {
    requireOpen();
    if (export.filter(NvmeExport::isHeld).isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + request.volume() + ": its export is held: try again when the hold has ended");
    }
    Opening last = record().opening();
    byte[] state = LegFormat.bytes(LegFormat.object().put("generation", last.generation()));
    long session = last.session() + 1;
    if (lasting && !isExported()) {
      replica.stored().write(record().opened(new Opening(last.generation(), session - 1, true)));
    }
    device.close();
    leave();
    return new Handover(FORMAT, session, state, Map.of());
  }

  private boolean isExported() {
    return export.filter(one -> !one.isEnded()).isPresent();
  }

  /** Ends this object; what the target serves stays. */
  private void leave() {
    snapshots.readers().close();
    ended = true;
    export.ifPresent(NvmeExport::end);
    replica.stored().disconnect();
    closed.accept(this);
  }

  /** Ends it in order, but for an export, which continues until the next engine adopts it. */
  public synchronized void stop() throws StorageException {
    if (!ended && isExported()) {
      device.close();
      leave();
    } else {
      close();
    }
  }

  /** Ends it as the end of the process does: the target is not told. */
  public synchronized void abandon() {
    if (!ended) {
      ended = true;
      device.close();
      replica.stored().disconnect();
    }
  }

  @Override
  public synchronized void close() throws StorageException {
    if (ended) {
      return;
    }
    try {
      if (isExported()) {
        export.get().close();
      }
      device.hold(DRAIN);
      device.close();
      snapshots.readers().close();
      replica.withdraw();
      Opening last = record().opening();
      replica.stored().write(record().opened(new Opening(last.generation(), last.session(), true)));
      replica.stored().release();
    } finally {
      device.close();
      leave();
    }
  }
}
