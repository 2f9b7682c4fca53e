package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.BackupBackingImageStatus;
import dev.holdfast.resource.backup.BackupState;
import java.util.Optional;

/** Records of backups of images. */
final class ImageBackupRecords {
  private ImageBackupRecords() {}

  /** Returns the status of a complete backup. */
  static BackupBackingImageStatus found(
      BackupBackingImageStatus status, StoredImage.Summary image) {
    return status
        .withState(BackupState.COMPLETED)
        .withProgress(100)
        .withError("")
        .withNextAttemptAt(Optional.empty())
        .withChecksum(image.checksum())
        .withContentChecksum(image.contentChecksum())
        .withSize(new Quantity(image.sizeBytes()))
        .withBackupCreatedAt(BackupSummary.time(image.completedAt()))
        .withLabels(image.labels());
  }
}
