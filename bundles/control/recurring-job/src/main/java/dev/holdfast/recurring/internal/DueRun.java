package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.schedule.CronSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The time for which a job begins a run now.
 *
 * @param handledUntil times up to this one need no further decision
 * @param begins time of the run that begins now
 * @param missed time whose run is skipped
 * @param next the next time; empty for a suspended job
 */
record DueRun(
    Instant handledUntil,
    Optional<Instant> begins,
    Optional<Instant> missed,
    Optional<Instant> next) {
  /**
   * If a clock is behind by more than this, it was set back, and the job uses the current clock.
   */
  static final Duration TOLERANCE = Duration.ofHours(1);

  /** A run that begins within this time is not made up. */
  static final Duration PUNCTUAL = Duration.ofMinutes(1);

  /** Returns the part of a spec that determines the times. */
  static String scheduleText(RecurringJobSpec spec) {
    return spec.cron() + " " + spec.timeZone() + (spec.suspend() ? " suspended" : "");
  }

  /** Decides for a job whose spec is valid. */
  static DueRun of(RecurringJob job, Instant now) {
    Instant handled = handledBefore(job, now);
    if (job.spec().suspend()) {
      return new DueRun(handled, Optional.empty(), Optional.empty(), Optional.empty());
    }
    CronSchedule schedule = job.spec().schedule();
    Optional<Instant> due = schedule.latest(handled, now);
    boolean begins = due.isPresent() && isInTime(job.spec(), Duration.between(due.get(), now));
    Instant until = due.orElse(handled);
    return new DueRun(
        until,
        due.filter(time -> begins),
        due.filter(time -> !begins),
        Optional.of(schedule.next(until.isAfter(now) ? until : now)));
  }

  private static Instant handledBefore(RecurringJob job, Instant now) {
    RecurringJobStatus status = job.status();
    if (status.handledUntil().isEmpty()) {
      return job.metadata().creationTimestamp().filter(time -> time.isBefore(now)).orElse(now);
    }
    Instant handled = status.handledUntil().get();
    if (handled.isAfter(now.plus(TOLERANCE))) {
      return now;
    }
    boolean changed = !status.handledSchedule().equals(scheduleText(job.spec()));
    return changed && handled.isBefore(now) ? now : handled;
  }

  private static boolean isInTime(RecurringJobSpec spec, Duration late) {
    Duration deadline = Duration.ofSeconds(spec.startingDeadlineSeconds());
    boolean early = deadline.isZero() || late.compareTo(deadline) <= 0;
    return switch (spec.missedRuns()) {
      case ONCE -> early;
      case SKIP -> early && late.compareTo(PUNCTUAL) <= 0;
    };
  }
}
