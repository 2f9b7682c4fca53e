package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemBackupState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The next step of a job that makes system backups, decided from the resources only.
 *
 * @param toMake system backups to create
 * @param toDelete ready system backups beyond those to keep
 * @param status the status after that
 * @param missed time of a run that is skipped
 */
record SystemJobStep(
    List<SystemBackup> toMake,
    List<SystemBackup> toDelete,
    RecurringJobStatus status,
    Optional<Instant> missed) {

  /** Returns whether a job makes system backups, so that the steps for volumes do not apply. */
  static boolean isFor(RecurringJob job) {
    return RecurringTask.of(job.spec().task()).equals(Optional.of(RecurringTask.SYSTEM_BACKUP));
  }

  /**
   * Decides the next step.
   *
   * @param job whose spec is valid
   * @param made system backups of the job that are not being deleted
   * @param now the current time
   */
  static SystemJobStep next(RecurringJob job, List<SystemBackup> made, Instant now) {
    DueRun due = DueRun.of(job, now);
    RecurringJobStatus status =
        job.status()
            .withHandledUntil(Optional.of(due.handledUntil()))
            .withHandledSchedule(DueRun.scheduleText(job.spec()))
            .withNextScheduledAt(due.next());
    return due.begins()
        .map(time -> begun(job, made, status, time))
        .orElseGet(() -> worked(job, made, status, due));
  }

  private static SystemJobStep begun(
      RecurringJob job, List<SystemBackup> made, RecurringJobStatus status, Instant time) {
    boolean unfinished =
        !status.pending().isEmpty() || made.stream().anyMatch(backup -> !backup.isFinal());
    long number =
        1
            + made.stream()
                .mapToLong(backup -> RunNames.number(backup.metadata()))
                .reduce(status.executionCount(), Math::max);
    RecurringJobStatus next =
        unfinished
            ? status.withLastErrors(List.of("system backup: the previous run is not finished"))
            : status
                .withExecutionCount(number)
                .withPending(List.of(RunNames.of(job, time)))
                .withLastErrors(List.of());
    return new SystemJobStep(
        List.of(), List.of(), next.withLastScheduledAt(Optional.of(time)), Optional.empty());
  }

  private static SystemJobStep worked(
      RecurringJob job, List<SystemBackup> made, RecurringJobStatus status, DueRun due) {
    List<SystemBackup> toMake =
        status.pending().stream()
            .filter(name -> made.stream().noneMatch(backup -> backup.name().equals(name)))
            .map(name -> backup(job, name))
            .toList();
    List<String> active =
        made.stream().filter(backup -> !backup.isFinal()).map(SystemBackup::name).toList();
    RecurringJobStatus next =
        status.withPending(List.of()).withActive(toMake.isEmpty() ? active : status.pending());
    return new SystemJobStep(toMake, beyond(job, made), finished(job, made, next), due.missed());
  }

  private static RecurringJobStatus finished(
      RecurringJob job, List<SystemBackup> made, RecurringJobStatus status) {
    Optional<SystemBackup> last =
        made.stream()
            .filter(backup -> RunNames.number(backup.metadata()) == job.status().executionCount())
            .findFirst();
    if (last.isEmpty()) {
      return status;
    }
    return switch (last.get().status().state()) {
      case NONE, VOLUME_BACKUPS, UPLOADING -> status;
      case READY -> succeeded(status, RunNames.at(last.get().metadata()));
      case ERROR ->
          status.withLastErrors(
              List.of("system backup " + last.get().name() + ": " + last.get().status().error()));
    };
  }

  /**
   * Returns the status after a successful run. The error of a later run that could not begin stays.
   */
  private static RecurringJobStatus succeeded(RecurringJobStatus status, Optional<Instant> run) {
    RecurringJobStatus succeeded = status.withLastSucceededAt(run);
    return run.equals(status.lastScheduledAt()) ? succeeded.withLastErrors(List.of()) : succeeded;
  }

  private static SystemBackup backup(RecurringJob job, String name) {
    SystemBackup backup =
        SystemBackup.of(
            name,
            SystemBackupSpec.EMPTY
                .withBackupTargetName(job.spec().backupTargetName())
                .withVolumeBackupPolicy(job.spec().volumeBackupPolicy()));
    return backup.withMetadata(
        backup
            .metadata()
            .withLabels(Map.of(RecurringJob.LABEL, job.name()))
            .withAnnotations(new MadeObjects(job).run()));
  }

  /**
   * Returns the system backups to delete. Run numbers order them, because clocks may be set back.
   */
  private static List<SystemBackup> beyond(RecurringJob job, List<SystemBackup> made) {
    return made.stream()
        .filter(backup -> backup.status().state() == SystemBackupState.READY)
        .sorted(
            Comparator.comparingLong((SystemBackup backup) -> RunNames.number(backup.metadata()))
                .reversed())
        .skip(job.spec().retain())
        .toList();
  }
}
