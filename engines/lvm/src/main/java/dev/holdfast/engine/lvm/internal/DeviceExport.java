package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A volume as a device of the host. Programs of the host use it past this process, also while it
 * does not run. The monitor of the volume guards it.
 */
final class DeviceExport implements NativeExport {
  private final OpenReplica replica;
  private final Object volume;
  private final String name;
  private final URI endpoint;
  private boolean held;
  private boolean ended;

  /**
   * Creates an export that is not shown yet.
   *
   * @param volume whose monitor guards this
   * @param name of the export
   */
  DeviceExport(OpenReplica replica, Object volume, String name) {
    this.replica = replica;
    this.volume = volume;
    this.name = name;
    Path path = replica.devices().path(blob());
    this.endpoint = URI.create(DeviceExportRules.PROTOCOL + ":" + path);
  }

  String name() {
    return name;
  }

  boolean isHeld() {
    return held;
  }

  /** The opening continues without this object. */
  void end() {
    ended = true;
  }

  private Blob blob() {
    return replica.place().head();
  }

  private void requireUsable() throws StorageException {
    if (ended) {
      throw new StorageException(ErrorCode.IO, "export " + name + " has ended: export it again");
    }
    if (held) {
      throw new StorageException(
          ErrorCode.BUSY, "export " + name + " is held: try again when the hold has ended");
    }
  }

  /** Makes the device what a request says. The export is recorded before a program can use it. */
  void apply(ExportRequest request) throws StorageException {
    requireUsable();
    if (!replica.state().export().equals(name)) {
      replica.mark(replica.state().exporting(name));
    }
    if (request.hosts().isEmpty()) {
      replica.devices().hide(blob());
    } else {
      Path unused = replica.devices().show(blob());
    }
  }

  @Override
  public List<URI> endpoints() {
    return List.of(endpoint);
  }

  @Override
  public ExportHold hold(Duration drain) throws StorageException {
    synchronized (volume) {
      requireUsable();
      if (replica.devices().isShown(blob())) {
        replica.devices().hold(blob(), drain);
      }
      held = true;
      return this::release;
    }
  }

  private void release() throws StorageException {
    synchronized (volume) {
      if (held && !ended) {
        replica.devices().release(blob());
        held = false;
      }
    }
  }

  @Override
  public void limit(ExportLimits limits) throws StorageException {
    synchronized (volume) {
      requireUsable();
      DeviceExportRules.requireUnlimited(name, limits);
    }
  }

  @Override
  public void access(PathAccess access) throws StorageException {
    synchronized (volume) {
      requireUsable();
      DeviceExportRules.requireOptimized(name, access);
    }
  }

  /** The kernel counts requests after it split and merged them, so none are reported. */
  @Override
  public Optional<ExportStatistics> statistics() {
    return Optional.empty();
  }

  @Override
  public void close() throws StorageException {
    synchronized (volume) {
      if (!ended) {
        replica.devices().hide(blob());
        replica.mark(replica.state().exporting(""));
        held = false;
        ended = true;
      }
    }
  }

  boolean isEnded() {
    return ended;
  }
}
