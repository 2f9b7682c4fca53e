package dev.holdfast.commands;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;

/** How backups of volumes and their targets are shown. */
public final class VolumeBackupViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public VolumeBackupViews(Clock clock) {
    this.clock = clock;
  }

  /** All backups. */
  public Output backups(ResourceList<Backup> backups) {
    return new Output(
        () -> table(backups),
        () -> json.listTree(Backup.KIND, backups.items(), backups.resourceVersion()));
  }

  private String table(ResourceList<Backup> backups) {
    Table table = new Table("NAME", "VOLUME", "TARGET", "SIZE", "SENT", "STATE", "AGE");
    for (Backup backup : backups.items()) {
      table.row(
          backup.name(),
          backup.spec().volume(),
          backup.spec().backupTargetName(),
          SizeText.rounded(backup.status().size()),
          SizeText.rounded(backup.status().newlyUploadedDataSize()),
          state(backup),
          backup
              .metadata()
              .creationTimestamp()
              .map(at -> SizeText.shortened(Duration.between(at, clock.instant())))
              .orElse(""));
    }
    return table.orIfEmpty("No backups. Make one: holdfast backup create VOLUME");
  }

  private static String state(Backup backup) {
    if (backup.isBeingDeleted()) {
      return "deleting";
    }
    String error = backup.status().error();
    return switch (backup.status().state()) {
      case NONE -> "waits for its snapshot";
      case IN_PROGRESS -> backup.status().progress() + " %";
      case COMPLETED -> "completed";
      case ERROR -> (backup.isFinal() ? "failed: " : "tried again: ") + error;
    };
  }

  /** One backup. */
  public Output backup(Backup backup) {
    return new Output(() -> details(backup), () -> json.tree(backup));
  }

  private static String details(Backup backup) {
    Table table = new Table("BACKUP", backup.name());
    table.row("volume", backup.spec().volume());
    table.row("target", backup.spec().backupTargetName());
    table.row("state", state(backup));
    table.row("snapshot", backup.status().snapshotName());
    table.row("volume size", backup.status().volumeSize());
    table.row("size", backup.status().size());
    table.row("read", backup.status().readDataSize());
    table.row("sent", backup.status().newlyUploadedDataSize());
    table.row("compared with", comparison(backup));
    table.row("address", backup.status().url());
    return table.toString();
  }

  private static String comparison(Backup backup) {
    String base = backup.status().base();
    String reason = backup.status().baseReason();
    return base.isEmpty() && !reason.isEmpty() ? "hashes only: " + reason : base;
  }

  /** A backup that was created. */
  public Output created(Backup backup) {
    return new Output(
        () ->
            "backup "
                + backup.name()
                + (backup.status().state() == BackupState.COMPLETED
                    ? " is complete, "
                        + SizeText.rounded(backup.status().newlyUploadedDataSize())
                        + " sent"
                    : " is created"),
        () -> json.tree(backup));
  }

  /** A backup or a target that was deleted. */
  public Output deleted(String what, String name) {
    return new Output(
        () -> what + " " + name + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", name));
  }

  /** All targets. */
  public Output targets(ResourceList<BackupTarget> targets) {
    return new Output(
        () -> targetTable(targets),
        () -> json.listTree(BackupTarget.KIND, targets.items(), targets.resourceVersion()));
  }

  private static String targetTable(ResourceList<BackupTarget> targets) {
    Table table = new Table("NAME", "URL", "COMPRESSION", "STATE");
    for (BackupTarget target : targets.items()) {
      String obstacle = target.obstacle();
      table.row(
          target.name(),
          target.spec().backupTargetURL(),
          target.spec().compressionMethod(),
          target.status().available()
              ? "available"
              : obstacle.isEmpty() ? "not asked yet" : obstacle);
    }
    return table.orIfEmpty("No targets. Add one: holdfast backup add-target file:///backups");
  }

  /** A target that was added. */
  public Output added(BackupTarget target) {
    return new Output(
        () ->
            "backup target "
                + target.name()
                + (target.status().available() ? " is available" : " is added"),
        () -> json.tree(target));
  }
}
