package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupContent;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import java.util.Optional;

/** A backup that this node exports to hosts. */
final class ShownBackup implements AutoCloseable {
  private static final String PREFIX = "backup:";
  private static final int LANES = 4;

  private final Backup backup;
  private final ObjectStore store;
  private final BackupDevice device;
  private final Portal portal;
  private final PublishedExport export;

  private ShownBackup(
      Backup backup,
      ObjectStore store,
      BackupDevice device,
      Portal portal,
      PublishedExport export) {
    this.backup = backup;
    this.store = store;
    this.device = device;
    this.portal = portal;
    this.export = export;
  }

  /**
   * Opens a backup at its target and publishes it.
   *
   * @throws StorageException of the target, or of the portal
   */
  static ShownBackup open(
      Backup backup, BackupTarget target, InstalledTargets targets, AttachedVolumes volumes)
      throws StorageException {
    Portal portal =
        volumes
            .portal()
            .orElseThrow(
                () -> new StorageException(ErrorCode.UNREACHABLE, "the node has no portal"));
    ObjectStore store = targets.open(TargetAccess.of(target));
    boolean complete = false;
    try {
      BackupContent content =
          BackupContent.openAtOnce(
              store,
              new LaidOutBackups(store),
              BackupRecords.nameOf(backup),
              targets.options().timing(),
              volumes.executor());
      requireWhole(content);
      BackupDevice device = new BackupDevice(content, LANES, volumes.executor());
      ShownBackup shown = publish(backup, store, device, portal);
      complete = true;
      return shown;
    } finally {
      if (!complete) {
        store.close();
      }
    }
  }

  private static void requireWhole(BackupContent content) throws StorageException {
    RecordedImage image = content.backup().image();
    if (!image.isNone()) {
      content.close();
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "backup "
              + content.backup().summary().name()
              + ": its volume is based on image "
              + image.name()
              + ", whose bytes are not in the backup: restore it to a volume");
    }
  }

  private static ShownBackup publish(
      Backup backup, ObjectStore store, BackupDevice device, Portal portal)
      throws StorageException {
    try {
      PublishedExport export =
          portal.publish(backup.spec().exportFrontend(), PREFIX + backup.name(), device);
      return new ShownBackup(backup, store, device, portal, export);
    } catch (StorageException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /** Returns the URI by which hosts read the backup. */
  String endpoint() {
    return export.endpoint().toString();
  }

  /** Returns whether this export matches the request of a resource. */
  boolean isOf(Backup wanted) {
    return wanted.metadata().uid().equals(backup.metadata().uid())
        && wanted.spec().exportFrontend().equals(backup.spec().exportFrontend());
  }

  /** Returns whether the portal that exports the backup was replaced or removed. */
  boolean isLeft(Optional<Portal> present) {
    return present.filter(portal::equals).isEmpty();
  }

  /** Keeps the lock at the target, which excludes deletion. */
  boolean keep() throws StorageException {
    device.keep();
    return true;
  }

  /** Returns whether a failure to keep the lock means that the lock is lost. */
  boolean isLost(StorageException failure) {
    return failure.code() == ErrorCode.CONFLICT || failure.code() == ErrorCode.BUSY;
  }

  /** Withdraws the export. */
  @Override
  public void close() {
    export.close();
    device.close();
    store.close();
  }
}
