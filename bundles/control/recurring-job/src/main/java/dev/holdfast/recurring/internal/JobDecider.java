package dev.holdfast.recurring.internal;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides the next step of a job from the resources only. A run begins with a status that names its
 * volumes; that step creates no object. Later steps create one object for each of these volumes,
 * under a name derived from job, time and volume, and then remove the volume from the list.
 */
class JobDecider {
  private static final int MOST_ERRORS = 20;
  private static final String UNFINISHED = "its previous run is not finished";

  /** Returns the next step. */
  JobPlan next(JobView view) {
    DueRun due = due(view);
    RecurringJobStatus status =
        view.job()
            .status()
            .withHandledUntil(Optional.of(due.handledUntil()))
            .withHandledSchedule(DueRun.scheduleText(view.job().spec()))
            .withNextScheduledAt(due.next());
    return due.begins()
        .map(time -> JobPlan.of(begun(view, status, time), due.missed()))
        .orElseGet(() -> step(view, status, due));
  }

  /** Returns the due run. A test plants defects here. */
  DueRun due(JobView view) {
    return DueRun.of(view.job(), view.now());
  }

  private static RecurringJobStatus begun(JobView view, RecurringJobStatus status, Instant time) {
    Set<String> busy = new JobWork(view).unfinished();
    List<String> volumes = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    for (Volume volume : view.volumes()) {
      if (volume.isBeingDeleted() || !view.job().selects(volume.metadata().labels())) {
        continue;
      }
      String obstacle = obstacle(view, volume, time, busy);
      if (obstacle.isEmpty()) {
        volumes.add(volume.name());
      } else {
        errors.add("volume " + volume.name() + ": " + obstacle);
      }
    }
    return status
        .withLastScheduledAt(Optional.of(time))
        .withExecutionCount(number(view, status))
        .withPending(volumes.stream().sorted().toList())
        .withLastErrors(errors.stream().limit(MOST_ERRORS).toList())
        .withLastSkipped(List.of());
  }

  /**
   * Returns the number of the next run. A job that replaces a job of the same name continues its
   * numbers.
   */
  private static long number(JobView view, RecurringJobStatus status) {
    Stream<ObjectMeta> made =
        Stream.concat(
            view.ownBackups().stream().map(Backup::metadata),
            view.ownSnapshots().stream().map(Snapshot::metadata));
    return 1 + made.mapToLong(RunNames::number).reduce(status.executionCount(), Math::max);
  }

  private static String obstacle(JobView view, Volume volume, Instant time, Set<String> busy) {
    if (view.task() == RecurringTask.BACKUP_VERIFY
        || view.task() == RecurringTask.FILESYSTEM_TRIM) {
      return busy.contains(volume.name()) ? UNFINISHED : "";
    }
    if (volume.status().robustness() == Robustness.FAULTED) {
      return "it is faulted";
    }
    if (volume.isStandby()) {
      return "it is a standby volume";
    }
    if (volume.awaitsContent()) {
      return "its first content is not complete";
    }
    if (busy.contains(volume.name())) {
      return UNFINISHED;
    }
    return new MadeObjects(view.job())
        .errors(volume.name(), RunNames.of(view.job(), time, volume.name())).stream()
            .map(error -> error.field() + ": " + error.message())
            .collect(Collectors.joining("; "));
  }

  private JobPlan step(JobView view, RecurringJobStatus status, DueRun due) {
    JobWork work = new JobWork(view);
    if (view.task() == RecurringTask.SNAPSHOT_DELETE) {
      work.deleteSnapshots(status.pending(), new Retention(view)::oldest);
    } else if (view.task() == RecurringTask.SNAPSHOT_CLEANUP) {
      work.deleteSnapshots(status.pending(), new Retention(view)::ofSystem);
    } else if (view.task() == RecurringTask.BACKUP_VERIFY) {
      work.verify(status.pending());
    } else if (view.task() == RecurringTask.FILESYSTEM_TRIM) {
      work.trim(status.pending());
    } else {
      work.continueChecks();
      work.beginVolumes(status.pending());
      List<Backup> old = retainedBackups(view);
      work.delete(old, new Retention(view).snapshots());
    }
    return work.plan(finished(view, status, work), due.missed());
  }

  /** Returns the backups that the job deletes. A test plants defects here. */
  List<Backup> retainedBackups(JobView view) {
    return new Retention(view).backups();
  }

  private static RecurringJobStatus finished(
      JobView view, RecurringJobStatus status, JobWork work) {
    List<String> errors = work.errors(status.lastErrors()).stream().limit(MOST_ERRORS).toList();
    List<String> skipped = work.skipped(status.lastSkipped()).stream().limit(MOST_ERRORS).toList();
    RecurringJobStatus next =
        status
            .withPending(work.pending())
            .withActive(work.active())
            .withLastErrors(errors)
            .withLastSkipped(skipped);
    boolean done =
        next.lastScheduledAt().isPresent()
            && next.pending().isEmpty()
            && next.active().isEmpty()
            && errors.isEmpty();
    return done ? next.withLastSucceededAt(view.job().status().lastScheduledAt()) : next;
  }
}
