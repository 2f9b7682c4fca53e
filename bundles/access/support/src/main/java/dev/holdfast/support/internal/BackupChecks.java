package dev.holdfast.support.internal;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Checks of backups, their targets and jobs. Pure functions. */
final class BackupChecks {
  private BackupChecks() {}

  static List<HealthFinding> findings(ClusterView view) {
    List<HealthFinding> found = new ArrayList<>();
    newest(view.backups()).values().stream()
        .filter(backup -> backup.status().state() == BackupState.ERROR)
        .forEach(backup -> found.add(failed(backup)));
    view.targets().forEach(target -> away(target).ifPresent(found::add));
    for (RecurringJob job : view.jobs()) {
      if (!job.status().lastErrors().isEmpty()) {
        found.add(failed(job));
      }
      old(job, view.now()).ifPresent(found::add);
    }
    return found;
  }

  /**
   * Returns the newest backups. A failure counts until a later backup of the same volume to the
   * same target succeeds.
   */
  private static Map<String, Backup> newest(List<Backup> backups) {
    return backups.stream()
        .filter(backup -> backup.status().state() != BackupState.NONE)
        .collect(
            Collectors.toMap(
                backup -> backup.spec().volume() + " " + backup.spec().backupTargetName(),
                Function.identity(),
                BinaryOperator.maxBy(Comparator.comparing(BackupChecks::begun))));
  }

  private static Instant begun(Backup backup) {
    return backup.metadata().creationTimestamp().orElse(Instant.EPOCH);
  }

  private static HealthFinding failed(Backup backup) {
    return new HealthFinding(
        "BACKUP_FAILED",
        HealthSeverity.WARNING,
        List.of("backup/" + backup.name(), "volume/" + backup.spec().volume()),
        backup.metadata().creationTimestamp(),
        "the last backup of volume "
            + backup.spec().volume()
            + " failed: "
            + oneLine(backup.status().error()),
        "fix the cause and create another one: holdfast backup create " + backup.spec().volume());
  }

  private static Optional<HealthFinding> away(BackupTarget target) {
    return Condition.find(target.status().conditions(), BackupTarget.AVAILABLE_CONDITION)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(
            condition ->
                new HealthFinding(
                    "BACKUP_FAILED",
                    HealthSeverity.WARNING,
                    List.of("backuptarget/" + target.name()),
                    Optional.of(condition.lastTransitionTime()),
                    "backup target "
                        + target.name()
                        + " is not available: "
                        + oneLine(condition.message()),
                    "make the target reachable; holdfast backup targets shows when it is"));
  }

  private static HealthFinding failed(RecurringJob job) {
    return new HealthFinding(
        "BACKUP_FAILED",
        HealthSeverity.WARNING,
        List.of("recurringjob/" + job.name()),
        job.status().lastScheduledAt(),
        "the last run of job "
            + job.name()
            + " failed: "
            + oneLine(job.status().lastErrors().get(0)),
        "fix the cause; holdfast recurring-job get " + job.name() + " shows the next run");
  }

  /** Reports backups older than twice the time between two runs. */
  private static Optional<HealthFinding> old(RecurringJob job, Instant now) {
    RecurringJobStatus status = job.status();
    if (job.spec().suspend()
        || status.lastScheduledAt().isEmpty()
        || status.nextScheduledAt().isEmpty()
        || status.lastSucceededAt().isEmpty()) {
      return Optional.empty();
    }
    Instant succeeded = status.lastSucceededAt().get();
    Duration interval =
        Duration.between(status.lastScheduledAt().get(), status.nextScheduledAt().get());
    if (Duration.between(succeeded, now).compareTo(interval.multipliedBy(2)) <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        new HealthFinding(
            "BACKUP_OLD",
            HealthSeverity.WARNING,
            List.of("recurringjob/" + job.name()),
            Optional.of(succeeded),
            "job "
                + job.name()
                + " succeeded last at "
                + succeeded
                + ", which is more than two runs ago",
            "see why: holdfast recurring-job get " + job.name()));
  }

  private static String oneLine(String text) {
    return text.isBlank() ? "no details are known" : text.replaceAll("\\s+", " ");
  }
}
