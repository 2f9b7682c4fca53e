package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.replica.ReplicaFormat;
import dev.holdfast.engine.placement.PlacedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * An open volume. Its monitor is held by each step that changes blobs, records or the export, and
 * not by requests to the device. Thread-safe.
 */
final class LvmVolume
    implements ExportingVolume, SnapshotVolume, ExpandableVolume, HandoverVolume, PlacedVolume {
  /** Version of the format of a hand-over. */
  static final int FORMAT = 1;

  private final OpenReplica replica;
  private final AlignedDevice device;
  private final LvmSnapshots snapshots;
  private final EngineListener listener;
  private final Consumer<LvmVolume> closed;
  private Optional<DeviceExport> export = Optional.empty();
  private boolean ended;

  /**
   * Creates an open volume.
   *
   * @param raw device of the live content
   * @param listener of the opening
   * @param closed called when the opening has ended
   */
  LvmVolume(
      OpenReplica replica, RawDevice raw, EngineListener listener, Consumer<LvmVolume> closed) {
    this.replica = replica;
    this.listener = listener;
    this.closed = closed;
    this.device =
        new AlignedDevice(
            "volume " + replica.volume(),
            raw,
            replica.record().sizeBytes(),
            true,
            replica.context().buffers());
    this.snapshots = new LvmSnapshots(replica, device, this);
  }

  OpenReplica replica() {
    return replica;
  }

  /** Returns whom to tell what requests wait for. */
  WaitWatch.User user() {
    return new WaitWatch.User(replica.blobs()::waits, replica.place().head(), listener);
  }

  private void requireOpen() throws StorageException {
    if (ended) {
      throw new StorageException(
          ErrorCode.IO, "volume " + replica.volume() + " is closed: open it again");
    }
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of(replica.place().location().replica(), MemberMode.RW);
  }

  @Override
  public Set<String> protocols() {
    return Set.of(DeviceExportRules.PROTOCOL);
  }

  @Override
  public synchronized NativeExport export(ExportRequest request) throws StorageException {
    DeviceExportRules.check(request);
    requireOpen();
    Optional<DeviceExport> present = export.filter(one -> !one.isEnded());
    if (present.isPresent() && !present.get().name().equals(request.export())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + replica.volume()
              + " has the export "
              + present.get().name()
              + ", and a device has one export: withdraw that export first");
    }
    DeviceExport applied =
        present.orElseGet(() -> new DeviceExport(replica, this, request.export()));
    applied.apply(request);
    export = Optional.of(applied);
    return applied;
  }

  @Override
  public synchronized SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException {
    requireOpen();
    return snapshots.create(request);
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
    if (!replica.state().export().isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + replica.volume()
              + " has the export "
              + replica.state().export()
              + ": attach it without a frontend, then revert it");
    }
    snapshots.revert(name);
  }

  @Override
  public synchronized void purge() throws StorageException {
    requireOpen();
    snapshots.deleteUnread();
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
    snapshots.changes(older, newer, visitor);
  }

  @Override
  public synchronized void expand(long newSizeBytes) throws StorageException {
    requireOpen();
    long present = replica.record().sizeBytes();
    if (newSizeBytes < present) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + replica.volume()
              + " has "
              + present
              + " B and cannot shrink to "
              + newSizeBytes
              + " B");
    }
    replica.blobs().extend(replica.place().head(), newSizeBytes);
    if (newSizeBytes > present) {
      replica.update(replica.record().sized(newSizeBytes));
    }
    device.grow(newSizeBytes);
  }

  @Override
  public String activeNode() throws StorageException {
    return placement().activeNode();
  }

  @Override
  public void moveTo(String node) throws StorageException {
    placement().moveTo(node);
  }

  /** A move takes long, and other calls need not wait for it. */
  private synchronized VolumePlacement placement() throws StorageException {
    requireOpen();
    return new VolumePlacement(replica);
  }

  @Override
  public synchronized Handover handOver(boolean lasting) throws StorageException {
    requireOpen();
    if (export.filter(DeviceExport::isHeld).isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + replica.volume() + ": its export is held: try again when the hold has ended");
    }
    snapshots.readers().close();
    boolean inOrder = lasting && replica.state().export().isEmpty();
    long session = replica.state().session() + 1;
    byte[] state =
        ReplicaFormat.bytes(
            ReplicaFormat.object()
                .put("generation", replica.state().generation())
                .put("groupId", replica.place().groupId())
                .set("record", ReplicaFormat.write(replica.record())));
    try {
      if (lasting) {
        flush();
      }
      replica.mark(replica.state().closed(inOrder));
    } finally {
      end();
    }
    return new Handover(FORMAT, session, state, Map.of());
  }

  private void flush() throws StorageException {
    AtomicReference<StorageException> failure = new AtomicReference<>();
    device.flush(failure::set); // completes before it returns
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  /** Ends the opening: the next one may begin. */
  private void end() {
    ended = true;
    export.ifPresent(DeviceExport::end);
    device.close();
    replica.unlock();
    closed.accept(this);
  }

  /** Ends it in order, but for the export, which continues until the next engine adopts it. */
  synchronized void stop() throws StorageException {
    if (ended || replica.state().export().isEmpty()) {
      close();
    } else {
      snapshots.readers().close();
      end();
    }
  }

  /** Ends it as the end of the process does: nothing is written. */
  synchronized void abandon() {
    if (!ended) {
      ended = true;
      device.close();
      replica.unlock();
    }
  }

  @Override
  public synchronized void close() throws StorageException {
    if (ended) {
      return;
    }
    try {
      snapshots.readers().close();
      replica.devices().hide(replica.place().head());
      flush();
      device.close();
      replica.mark(replica.state().exporting("").closed(true));
      replica.detachHead();
    } finally {
      end();
    }
  }
}
