package dev.holdfast.resource.backup;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Task of a recurring job, for each of its volumes or for the whole cluster. */
public enum RecurringTask {
  /** Takes a snapshot if the volume has changed since the job's last snapshot. */
  SNAPSHOT("snapshot"),
  /** Takes a snapshot. */
  SNAPSHOT_FORCE_CREATE("snapshot-force-create"),
  /** Deletes the oldest snapshots, of any origin, that backups and clones do not need. */
  SNAPSHOT_DELETE("snapshot-delete"),
  /** Deletes unused snapshots that the system took for its own work. */
  SNAPSHOT_CLEANUP("snapshot-cleanup"),
  /** Makes a backup if the volume has changed since its last backup at the target. */
  BACKUP("backup"),
  /** Makes a backup. */
  BACKUP_FORCE_CREATE("backup-force-create"),
  /** Compares the blocks of the newest backups at the target with their checksums. */
  BACKUP_VERIFY("backup-verify"),
  /** Lets mounted filesystems report their unused blocks to their volumes. */
  FILESYSTEM_TRIM("filesystem-trim"),
  /** Makes a system backup. */
  SYSTEM_BACKUP("system-backup");

  private final String wireName;

  RecurringTask(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }

  /** Returns the task of a name; empty for another text. */
  public static Optional<RecurringTask> of(String name) {
    return Stream.of(values()).filter(task -> task.wireName.equals(name)).findFirst();
  }

  /** Returns all names, separated by commas. */
  public static String names() {
    return Stream.of(values()).map(RecurringTask::toString).collect(Collectors.joining(", "));
  }

  /** Returns whether the task makes backups. */
  public boolean makesBackups() {
    return this == BACKUP || this == BACKUP_FORCE_CREATE;
  }

  /** Returns whether the task needs a backup target. */
  public boolean needsTarget() {
    return makesBackups() || this == BACKUP_VERIFY || this == SYSTEM_BACKUP;
  }

  /** Returns whether the task skips volumes without changes. */
  public boolean needsChanges() {
    return this == SNAPSHOT || this == BACKUP;
  }
}
