package dev.holdfast.backup.internal.system;

import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.image.BackingImage;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which backup of an image a system backup uses, and which backups must be made for it.
 * Images that every cluster can download need no backup.
 */
final class ImageBackupChoice {
  /** Source of the images whose bytes another cluster can fetch. */
  static final String DOWNLOAD = "download";

  /** After this number of failures a backup does not delay the system backup. */
  private static final int MOST_ATTEMPTS = 3;

  private final SystemBackup system;
  private final List<BackupBackingImage> backups;

  ImageBackupChoice(SystemBackup system, List<BackupBackingImage> backups) {
    this.system = system;
    this.backups = backups;
  }

  private Optional<BackupBackingImage> present(BackingImage image) {
    String name = BackupBackingImage.nameFor(system.spec().backupTargetName(), image.name());
    return backups.stream().filter(backup -> backup.name().equals(name)).findFirst();
  }

  /** Returns the complete backup of an image that has the same content. */
  Optional<BackupBackingImage> complete(BackingImage image) {
    return present(image)
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .filter(backup -> !backup.isBeingDeleted() && isOf(backup, image));
  }

  private static boolean isOf(BackupBackingImage backup, BackingImage image) {
    return new RecordedImage(
            image.name(), backup.status().checksum(), backup.status().contentChecksum())
        .isContentOf(image.status().checksum(), image.status().contentChecksum());
  }

  /** Returns the backups that must be made first. */
  List<BackupBackingImage> toMake(List<BackingImage> images) {
    return images.stream()
        .filter(image -> system.spec().volumeBackupPolicy() != VolumeBackupPolicy.DISABLED)
        .filter(image -> !image.spec().sourceType().equals(DOWNLOAD))
        .filter(image -> image.isReady() && !image.isBeingDeleted())
        .filter(image -> present(image).isEmpty())
        .map(this::made)
        .toList();
  }

  private BackupBackingImage made(BackingImage image) {
    BackupBackingImage backup =
        BackupBackingImage.of(system.spec().backupTargetName(), image.name());
    return backup
        .withSpec(backup.spec().withUserCreated(true))
        .withMetadata(backup.metadata().withLabels(Map.of(SystemBackup.LABEL, system.name())));
  }

  /** Returns whether a backup that was made for the system backup may still become complete. */
  boolean isAwaited(BackupBackingImage backup) {
    return system.name().equals(backup.metadata().labels().get(SystemBackup.LABEL))
        && !backup.isBeingDeleted()
        && !backup.isFinal()
        && backup.status().attempts() < MOST_ATTEMPTS;
  }

  /** Returns the reason why the bytes of an image are not at the target. */
  String whyNone(BackingImage image) {
    String target = system.spec().backupTargetName();
    if (present(image).isEmpty()) {
      return image.isReady() ? "it has none at target " + target : "it is not ready";
    }
    BackupBackingImage backup = present(image).get();
    if (backup.status().state() == BackupState.COMPLETED && !isOf(backup, image)) {
      return "target " + target + " has another image of this name";
    }
    return "backup "
        + backup.name()
        + ": "
        + (backup.status().error().isEmpty() ? "it is not complete" : backup.status().error());
  }
}
