package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One step of a job, in the order in which it is written.
 *
 * @param newSnapshots snapshots to create
 * @param newBackups backups to create
 * @param changedSnapshots snapshots to update
 * @param changedBackups backups to update
 * @param changedVolumes volumes to update
 * @param changedShares shares to update
 * @param oldBackups backups to delete
 * @param oldSnapshots snapshots to delete
 * @param status the status after that
 * @param missed time of a run that is skipped
 */
record JobPlan(
    List<Snapshot> newSnapshots,
    List<Backup> newBackups,
    List<Snapshot> changedSnapshots,
    List<Backup> changedBackups,
    List<Volume> changedVolumes,
    List<ShareManager> changedShares,
    List<Backup> oldBackups,
    List<Snapshot> oldSnapshots,
    RecurringJobStatus status,
    Optional<Instant> missed) {

  /** Replaces lists by copies. */
  JobPlan {
    newSnapshots = List.copyOf(newSnapshots);
    newBackups = List.copyOf(newBackups);
    changedSnapshots = List.copyOf(changedSnapshots);
    changedBackups = List.copyOf(changedBackups);
    changedVolumes = List.copyOf(changedVolumes);
    changedShares = List.copyOf(changedShares);
    oldBackups = List.copyOf(oldBackups);
    oldSnapshots = List.copyOf(oldSnapshots);
  }

  static JobPlan of(RecurringJobStatus status, Optional<Instant> missed) {
    return new JobPlan(
        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
        status, missed);
  }

  /** Returns whether the step writes more than the time of the next run. */
  boolean changes(RecurringJobStatus present) {
    return !(newSnapshots.isEmpty()
        && newBackups.isEmpty()
        && changedSnapshots.isEmpty()
        && changedBackups.isEmpty()
        && changedVolumes.isEmpty()
        && changedShares.isEmpty()
        && oldBackups.isEmpty()
        && oldSnapshots.isEmpty()
        && status.equals(present));
  }
}
