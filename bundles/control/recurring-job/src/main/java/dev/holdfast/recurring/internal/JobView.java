package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The resources from which the next step of a job is decided.
 *
 * @param job the job, whose spec is valid
 * @param now the current time
 * @param volumes all volumes
 * @param backups all backups
 * @param snapshots all snapshots
 * @param shares all shares
 */
record JobView(
    RecurringJob job,
    Instant now,
    List<Volume> volumes,
    List<Backup> backups,
    List<Snapshot> snapshots,
    List<ShareManager> shares) {

  RecurringTask task() {
    return RecurringTask.of(job.spec().task()).orElseThrow();
  }

  /** Returns a volume that the job can process; empty if it is gone or is being deleted. */
  Optional<Volume> volume(String name) {
    return volumes.stream()
        .filter(volume -> volume.name().equals(name) && !volume.isBeingDeleted())
        .findFirst();
  }

  /** Returns the share of a volume; empty for a volume that is used as a device. */
  Optional<ShareManager> share(String volume) {
    return shares.stream()
        .filter(share -> share.name().equals(volume) && !share.isBeingDeleted())
        .findFirst();
  }

  /** Returns the target of the backups of a volume: its own, or that of the job. */
  String target(String volume) {
    return volume(volume)
        .map(found -> found.spec().backupTargetName())
        .filter(own -> !own.isEmpty())
        .orElse(job.spec().backupTargetName());
  }

  Optional<Backup> backup(String name) {
    return backups.stream().filter(backup -> backup.name().equals(name)).findFirst();
  }

  Optional<Snapshot> snapshot(String name) {
    return snapshots.stream().filter(snapshot -> snapshot.name().equals(name)).findFirst();
  }

  /** Returns the backups that the job made and that are not being deleted. */
  List<Backup> ownBackups() {
    return backups.stream()
        .filter(backup -> job.name().equals(backup.metadata().labels().get(RecurringJob.LABEL)))
        .filter(backup -> !backup.isBeingDeleted())
        .toList();
  }

  /** Returns the snapshots that the job made and that are not being deleted. */
  List<Snapshot> ownSnapshots() {
    return labelled(RecurringJob.LABEL);
  }

  /** Returns the snapshots whose changes the job checks. */
  List<Snapshot> checkedSnapshots() {
    return labelled(RecurringJob.CHECK_LABEL);
  }

  private List<Snapshot> labelled(String label) {
    return snapshots.stream()
        .filter(snapshot -> job.name().equals(snapshot.metadata().labels().get(label)))
        .filter(snapshot -> !snapshot.isBeingDeleted())
        .toList();
  }

  /**
   * Returns the newest complete backup of a volume by this cluster at a target, on which the next
   * backup depends.
   */
  Optional<Backup> newestBackup(String volume, String target) {
    return backups.stream()
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .filter(backup -> !backup.isBeingDeleted() && !backup.isDiscovered())
        .filter(backup -> backup.spec().volume().equals(volume))
        .filter(backup -> backup.spec().backupTargetName().equals(target))
        .max(Backup.COMPLETION_ORDER);
  }
}
