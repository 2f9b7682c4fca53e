package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.example.outside.internal.disk.JsonFile;
import dev.holdfast.engine.example.outside.internal.nbd.NbdDevice;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An open volume. Its bytes are in the daemon; this program is only one more client of it. */
final class OutsideVolume implements ExportingVolume, SnapshotVolume, HandoverVolume {
  /** Version of the format of a hand-over. */
  static final int FORMAT = 1;

  private final VolumeDaemons daemons;
  private final NbdDevice device;
  private final VolumeSnapshots snapshots;
  private final Runnable closed;

  OutsideVolume(VolumeDaemons daemons, NbdDevice device, Runnable closed) {
    this.daemons = daemons;
    this.device = device;
    this.snapshots = new VolumeSnapshots(daemons);
    this.closed = closed;
  }

  String name() {
    return daemons.volume();
  }

  Optional<ProcessIdentity> imageProcess() {
    return daemons.image().identity();
  }

  boolean isOn(Path disk) {
    return daemons.replica().folder().startsWith(disk);
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of(daemons.claim().replica(), MemberMode.RW);
  }

  @Override
  public Set<String> protocols() {
    return Set.of(ExportRules.PROTOCOL);
  }

  @Override
  public NativeExport export(ExportRequest request) throws StorageException {
    ExportRules.check(request);
    synchronized (daemons) {
      daemons.requireOpen();
      HostExport present = daemons.exports().get(request.export());
      if (present != null) {
        present.apply(request);
        return present;
      }
      HostExport made = new HostExport(daemons, request.export());
      daemons.exports().put(request.export(), made);
      try {
        made.apply(request);
      } catch (StorageException e) {
        daemons.exports().remove(request.export());
        throw e;
      }
      return made;
    }
  }

  @Override
  public SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException {
    return snapshots.create(request);
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    return snapshots.list();
  }

  @Override
  public void deleteSnapshot(String name) throws StorageException {
    snapshots.delete(name);
  }

  @Override
  public void revert(String name) throws StorageException {
    snapshots.revert(name);
  }

  /** Full copies share nothing, so nothing is left to coalesce. */
  @Override
  public void purge() {}

  @Override
  public BlockDevice openSnapshot(String name) throws StorageException {
    return snapshots.open(name);
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    snapshots.changes(older, newer, visitor);
  }

  @Override
  public Handover handOver(boolean lasting) throws StorageException {
    synchronized (daemons) {
      daemons.requireOpen();
      if (daemons.exports().values().stream().anyMatch(HostExport::isHeld)) {
        throw new StorageException(
            ErrorCode.BUSY,
            "volume "
                + daemons.volume()
                + ": an export is held: try again when the hold has ended");
      }
      device.close();
      finish(lasting);
      closed.run();
      byte[] state =
          JsonFile.object()
              .put("generation", daemons.claim().generation())
              .toString()
              .getBytes(StandardCharsets.UTF_8);
      return new Handover(FORMAT, daemons.claim().session() + 1, state, Map.of());
    }
  }

  /** Keeps the daemons running for their hosts; without hosts, the lock is released. */
  private void finish(boolean lasting) throws StorageException {
    boolean exported = !daemons.keys().isEmpty();
    try {
      if (lasting && daemons.holdsReplica()) {
        daemons.replica().flush();
        daemons.replica().write(daemons.claim().closed(!exported));
      }
    } finally {
      if (exported) {
        daemons.leave();
      } else {
        daemons.end();
      }
    }
  }

  /** Ends it in order, but for exports, which continue until the next engine adopts them. */
  void stop() throws StorageException {
    synchronized (daemons) {
      if (daemons.isEnded() || daemons.keys().isEmpty()) {
        close();
        return;
      }
      device.close();
      finish(true);
      closed.run();
    }
  }

  /** Ends it as the end of the program does. */
  void abandon() throws StorageException {
    daemons.leave();
    device.end(new StorageException(ErrorCode.IO, "the engine has ended"));
  }

  @Override
  public void close() throws StorageException {
    synchronized (daemons) {
      if (daemons.isEnded()) {
        return;
      }
      try {
        for (HostExport export : new ArrayList<>(daemons.exports().values())) {
          export.close();
        }
        device.close();
        if (daemons.holdsReplica()) {
          daemons.replica().flush();
          daemons.replica().write(daemons.claim().closed(true));
        }
      } finally {
        device.close();
        daemons.end();
        closed.run();
      }
    }
  }
}
