package dev.holdfast.commands;

import dev.holdfast.resource.backup.RestoredKind;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Formats system backups and restores for output. */
public final class SystemBackupViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public SystemBackupViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all system backups. */
  public Output backups(ResourceList<SystemBackup> backups) {
    return new Output(
        () -> table(backups),
        () -> json.listTree(SystemBackup.KIND, backups.items(), backups.resourceVersion()));
  }

  private String table(ResourceList<SystemBackup> backups) {
    Table table = new Table("NAME", "TARGET", "ITEMS", "VOLUMES", "SIZE", "STATE", "AGE");
    for (SystemBackup backup : backups.items()) {
      table.row(
          backup.name(),
          backup.spec().backupTargetName(),
          backup.status().items(),
          backup.status().volumes(),
          SizeText.rounded(backup.status().size()),
          state(backup),
          backup
              .status()
              .createdAt()
              .map(at -> SizeText.shortened(Duration.between(at, clock.instant())))
              .orElse(""));
    }
    return table.orIfEmpty("No system backups. Make one: holdfast system-backup create NAME");
  }

  private static String state(SystemBackup backup) {
    if (backup.isBeingDeleted()) {
      return "deleting";
    }
    return switch (backup.status().state()) {
      case NONE, VOLUME_BACKUPS -> "waits for backups of volumes";
      case UPLOADING -> "uploading";
      case READY -> "ready";
      case ERROR -> (backup.isFinal() ? "failed: " : "tried again: ") + backup.status().error();
    };
  }

  /** Shows one system backup. */
  public Output backup(SystemBackup backup) {
    return new Output(() -> details(backup), () -> json.tree(backup));
  }

  private static String details(SystemBackup backup) {
    Table table = new Table("SYSTEM BACKUP", backup.name());
    table.row("target", backup.spec().backupTargetName());
    table.row("state", state(backup));
    table.row("resources", backup.status().items());
    table.row("volumes with backup", backup.status().volumes());
    table.row("size", backup.status().size());
    table.row("sha256", backup.status().checksum());
    backup.status().failures().forEach(failure -> table.row("left out", failure));
    return table.toString();
  }

  /** Shows a system backup that was created. */
  public Output created(SystemBackup backup) {
    return new Output(
        () ->
            "system backup "
                + backup.name()
                + switch (backup.status().state()) {
                  case READY ->
                      " is ready: "
                          + backup.status().items()
                          + " resources, "
                          + backup.status().volumes()
                          + " volumes with a backup"
                          + listed(backup.status().failures());
                  case NONE, VOLUME_BACKUPS, UPLOADING, ERROR -> " is created";
                },
        () -> json.tree(backup));
  }

  private static String listed(List<String> failures) {
    return failures.isEmpty() ? "" : "\n" + String.join("\n", failures);
  }

  /** Shows a system backup that was deleted. */
  public Output deleted(String name) {
    return new Output(
        () -> "system backup " + name + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", name));
  }

  /** Shows a system restore. */
  public Output restore(SystemRestore restore) {
    return new Output(() -> outcome(restore), () -> json.tree(restore));
  }

  private static String outcome(SystemRestore restore) {
    String start = "system restore " + restore.name();
    if (restore.status().itemsRestoredAt().isEmpty()) {
      return start + " is created";
    }
    Table table = new Table("KIND", "RESTORED", "EXISTING", "SKIPPED", "FAILED");
    for (RestoredKind kind : restore.status().kinds()) {
      table.row(kind.kind(), kind.restored(), kind.existing(), kind.skipped(), kind.failed());
    }
    return table + listed(restore.status().failures());
  }
}
