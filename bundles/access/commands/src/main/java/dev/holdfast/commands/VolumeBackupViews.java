package dev.holdfast.commands;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Formats backups of volumes and their targets for output. */
public final class VolumeBackupViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public VolumeBackupViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all backups. */
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
          made(backup)
              .map(at -> SizeText.shortened(Duration.between(at, clock.instant())))
              .orElse(""));
    }
    return table.orIfEmpty("No backups. Make one: holdfast backup create VOLUME");
  }

  private static Optional<Instant> made(Backup backup) {
    return backup.isDiscovered()
        ? backup.status().snapshotCreatedAt()
        : backup.metadata().creationTimestamp();
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

  /** Shows one backup. */
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
    if (backup.spec().exported()) {
      table.row("exported", exported(backup));
    }
    return table.toString();
  }

  private static String exported(Backup backup) {
    String endpoint = backup.status().endpoint();
    return endpoint.isEmpty() ? "not yet: " + backup.status().exportError() : endpoint;
  }

  /** Shows the address of a backup that hosts can read. */
  public Output endpoint(Backup backup) {
    return new Output(() -> backup.status().endpoint(), () -> json.tree(backup));
  }

  private static String comparison(Backup backup) {
    String base = backup.status().base();
    String reason = backup.status().baseReason();
    return base.isEmpty() && !reason.isEmpty() ? "hashes only: " + reason : base;
  }

  /** Shows a backup that was created. */
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

  /** Shows a backup or a target that was deleted. */
  public Output deleted(String what, String name) {
    return new Output(
        () -> what + " " + name + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", name));
  }

  /** Shows volumes at targets, with the backups that the cluster knows. */
  public Output volumes(ResourceList<BackupVolume> volumes, ResourceList<Backup> backups) {
    return new Output(
        () -> volumeTable(volumes, backups.items()),
        () -> json.listTree(BackupVolume.KIND, volumes.items(), volumes.resourceVersion()));
  }

  private String volumeTable(ResourceList<BackupVolume> volumes, List<Backup> backups) {
    Table table = new Table("VOLUME", "TARGET", "SIZE", "BACKUPS", "LAST BACKUP", "STATE");
    for (BackupVolume volume : volumes.items()) {
      List<Backup> complete =
          backups.stream()
              .filter(volume::has)
              .filter(backup -> backup.status().state() == BackupState.COMPLETED)
              .toList();
      table.row(
          volume.spec().volumeName(),
          volume.spec().backupTargetName(),
          SizeText.rounded(volume.status().size()),
          complete.size(),
          complete.stream()
              .max(
                  Comparator.comparing(
                      backup -> backup.status().backupCreatedAt().orElse(Instant.EPOCH)))
              .map(Backup::name)
              .orElse("-"),
          state(volume));
    }
    return table.orIfEmpty("No volumes. Look for them: holdfast backup sync");
  }

  private String state(BackupVolume volume) {
    if (volume.isBeingDeleted()) {
      return "deleting";
    }
    String seen =
        volume
            .status()
            .lastSyncedAt()
            .map(at -> "scanned " + SizeText.shortened(Duration.between(at, clock.instant())))
            .map(text -> text + " ago")
            .orElse("not scanned yet");
    String obstacle = volume.syncObstacle();
    return obstacle.isEmpty() ? seen : seen + ": " + obstacle;
  }

  /** Shows a target that was or will be scanned. */
  public Output scanned(BackupTarget target, int volumes, boolean done) {
    return new Output(
        () ->
            "backup target "
                + target.name()
                + (done ? " is scanned: volumes: " + volumes : " is going to be scanned"),
        () -> json.tree(target));
  }

  /** Shows all targets. */
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

  /** Shows a target that was added. */
  public Output added(BackupTarget target) {
    return new Output(
        () ->
            "backup target "
                + target.name()
                + (target.status().available() ? " is available" : " is added"),
        () -> json.tree(target));
  }
}
