package dev.holdfast.recurring.internal;

import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Builds the snapshots and backups of a job. */
final class MadeObjects {
  private final RecurringJob job;

  MadeObjects(RecurringJob job) {
    this.job = job;
  }

  /** Returns whether the current run makes full backups. */
  boolean isFull() {
    int interval = job.spec().fullBackupInterval();
    return interval > 0 && (job.status().executionCount() - 1) % interval == 0;
  }

  /** Returns the errors for which the store would refuse the object of a run; empty for none. */
  List<FieldError> errors(String volume, String name) {
    return isForBackups()
        ? backup(volume, job.spec().backupTargetName(), name, Map.of(), false).validate()
        : snapshot(volume, name, Map.of(), false).validate();
  }

  private boolean isForBackups() {
    return RecurringTask.of(job.spec().task()).filter(RecurringTask::makesBackups).isPresent();
  }

  /** Returns the backup of a run. */
  Backup backup(String volume, String target, String name, Map<String, String> run, boolean full) {
    Backup backup =
        Backup.of(
            name,
            BackupSpec.EMPTY
                .withVolume(volume)
                .withBackupTargetName(target)
                .withBackupMode(full ? BackupMode.FULL : BackupMode.INCREMENTAL)
                .withLabels(labels()));
    return marked(backup, run, Map.of(RecurringJob.LABEL, job.name()));
  }

  /**
   * Returns the snapshot of a run.
   *
   * @param checked whether its changes are checked before it counts
   */
  Snapshot snapshot(String volume, String name, Map<String, String> run, boolean checked) {
    Snapshot snapshot =
        Snapshot.of(
            Snapshot.nameFor(volume, name),
            SnapshotSpec.EMPTY.withVolume(volume).withSnapshotName(name).withLabels(labels()));
    Map<String, String> marks = new LinkedHashMap<>();
    if (!isForBackups()) {
      marks.put(RecurringJob.LABEL, job.name());
    }
    if (checked) {
      marks.put(RecurringJob.CHECK_LABEL, job.name());
    }
    return marked(snapshot, run, marks);
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new LinkedHashMap<>(job.spec().labels());
    labels.put(RecurringJob.LONGHORN_LABEL, job.name());
    return labels;
  }

  private static <R extends Resource<R>> R marked(
      R made, Map<String, String> run, Map<String, String> labels) {
    return made.withMetadata(made.metadata().withLabels(labels).withAnnotations(run));
  }

  /** Returns a snapshot that counts from now on, for a backup if a backup is named. */
  static Snapshot unchecked(Snapshot snapshot, Optional<String> backup) {
    Map<String, String> labels = new LinkedHashMap<>(snapshot.metadata().labels());
    labels.remove(RecurringJob.CHECK_LABEL);
    backup.ifPresent(name -> labels.put(Backup.SNAPSHOT_LABEL, name));
    return snapshot.withMetadata(snapshot.metadata().withLabels(labels));
  }

  /** Returns the annotations of the objects of the last run. */
  Map<String, String> run() {
    String time = job.status().lastScheduledAt().map(Instant::toString).orElse("");
    return Map.of(
        RecurringJob.SCHEDULED_AT_ANNOTATION,
        time,
        RecurringJob.RUN_ANNOTATION,
        String.valueOf(job.status().executionCount()));
  }

  /** Returns the annotations of an object, for another one of the same run. */
  static Map<String, String> runOf(Snapshot made) {
    Map<String, String> run = new LinkedHashMap<>(made.metadata().annotations());
    run.keySet()
        .retainAll(Set.of(RecurringJob.SCHEDULED_AT_ANNOTATION, RecurringJob.RUN_ANNOTATION));
    return run;
  }
}
