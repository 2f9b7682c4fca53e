package dev.holdfast.commands;

import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Instant;

/** Formats backups of backing images for output. */
public final class ImageBackupViews {
  private final ResourceJson json = new ResourceJson();

  /** Creates the views. */
  public ImageBackupViews() {}

  /** Shows all backups. */
  public Output backups(ResourceList<BackupBackingImage> backups) {
    return new Output(
        () -> table(backups),
        () -> json.listTree(BackupBackingImage.KIND, backups.items(), backups.resourceVersion()));
  }

  private static String table(ResourceList<BackupBackingImage> backups) {
    Table table = new Table("IMAGE", "TARGET", "SIZE", "STATE", "COMPLETED");
    for (BackupBackingImage backup : backups.items()) {
      table.row(
          backup.spec().backingImage(),
          backup.spec().backupTargetName(),
          SizeText.rounded(backup.status().size()),
          state(backup),
          backup.status().backupCreatedAt().map(Instant::toString).orElse(""));
    }
    return table.orIfEmpty("No backups of images. Make one: holdfast image backup NAME");
  }

  private static String state(BackupBackingImage backup) {
    if (backup.isBeingDeleted()) {
      return "deleting";
    }
    String error = backup.status().error();
    return switch (backup.status().state()) {
      case NONE -> "pending";
      case IN_PROGRESS ->
          error.isEmpty() ? "in progress, " + backup.status().progress() + " %" : error;
      case COMPLETED -> "completed";
      case ERROR -> "error: " + error;
    };
  }

  /** Shows a requested backup. */
  public Output created(BackupBackingImage backup) {
    return new Output(
        () ->
            "backup of image "
                + backup.spec().backingImage()
                + (backup.status().state() == BackupState.COMPLETED
                    ? " is complete: SHA-512 " + backup.status().checksum()
                    : " is begun"),
        () -> json.tree(backup));
  }

  /** Shows a backup that was deleted. */
  public Output deleted(String image) {
    return new Output(
        () -> "backup of image " + image + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", image));
  }
}
