package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.image.ImageBackupRequest;
import dev.holdfast.backupstore.image.ImageBackupWriter;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageStatus;
import java.util.Locale;

/** One attempt to write the backup of an image. The progress may be read by any thread. */
final class RunningImageBackup {
  private static final String RAW = "raw";

  private final InstalledTargets targets;
  private final BackupBackingImage backup;
  private final BackupTarget target;
  private final BackingImage image;
  private volatile boolean cancelled;
  private volatile int percent;

  RunningImageBackup(
      InstalledTargets targets,
      BackupBackingImage backup,
      BackupTarget target,
      BackingImage image) {
    this.targets = targets;
    this.backup = backup;
    this.target = target;
    this.image = image;
  }

  int percent() {
    return percent;
  }

  /** Ends the attempt after the blocks in flight are sent. */
  void cancel() {
    cancelled = true;
  }

  StoredImage run(ClusterImages images) throws StorageException {
    TransferOptions options = targets.options();
    try (ObjectStore store = targets.open(TargetAccess.of(target));
        SourceDisk disk = images.open(image.name())) {
      return new ImageBackupWriter(store, options.threads(), options.timing())
          .write(request(), new DiskBytes(disk), this::advanced);
    }
  }

  private ImageBackupRequest request() {
    return new ImageBackupRequest(
        image.name(),
        knownChecksum(image.status()),
        image.status().contentChecksum(),
        compression(),
        backup.spec().labels());
  }

  /**
   * Returns the compression for Longhorn's layout, which images have even if the volumes of the
   * target are packed.
   */
  private Compression compression() {
    Compression wanted =
        Compression.valueOf(target.spec().compressionMethod().toUpperCase(Locale.ROOT));
    return wanted.isLonghorn() ? wanted : Compression.LZ4;
  }

  /**
   * Returns the SHA-512 of the disk if it is known: the delivered file of a raw image is the disk.
   */
  private static String knownChecksum(BackingImageStatus status) {
    boolean same = status.format().equals(RAW) && status.size().equals(status.virtualSize());
    return same ? status.checksum() : "";
  }

  private void advanced(long done, long total) throws StorageException {
    percent = (int) (100 * done / Math.max(1, total));
    if (cancelled) {
      throw new StorageException(
          ErrorCode.CONFLICT, "backup " + backup.name() + ": was deleted or cancelled");
    }
  }
}
