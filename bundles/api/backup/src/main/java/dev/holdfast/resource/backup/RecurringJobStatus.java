package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a recurring job.
 *
 * @param lastScheduledAt time for which the last run began
 * @param nextScheduledAt time of the next run; empty while the job is suspended
 * @param lastSucceededAt time of the last run without an error
 * @param handledUntil times up to this one began, were missed, or lie before the present schedule
 * @param handledSchedule schedule to which that applies
 * @param pending volumes of the last run that wait for their turn
 * @param active volumes that are being worked on, by name
 * @param executionCount number of the last run; it grows with each one
 * @param lastErrors causes why the work of the last run failed for volumes, at most 20
 * @param lastSkipped causes why the last run had nothing to do for volumes, at most 20
 */
@RecordBuilder
public record RecurringJobStatus(
    Optional<Instant> lastScheduledAt,
    Optional<Instant> nextScheduledAt,
    Optional<Instant> lastSucceededAt,
    Optional<Instant> handledUntil,
    String handledSchedule,
    List<String> pending,
    List<String> active,
    long executionCount,
    List<String> lastErrors,
    List<String> lastSkipped)
    implements RecurringJobStatusBuilder.With {
  /** Nothing set. */
  public static final RecurringJobStatus EMPTY = RecurringJobStatusBuilder.builder().build();

  /** Replaces what is null by its default and copies the collections. */
  public RecurringJobStatus {
    lastScheduledAt = Defaults.optional(lastScheduledAt);
    nextScheduledAt = Defaults.optional(nextScheduledAt);
    lastSucceededAt = Defaults.optional(lastSucceededAt);
    handledUntil = Defaults.optional(handledUntil);
    handledSchedule = Defaults.text(handledSchedule);
    pending = Defaults.list(pending);
    active = Defaults.list(active);
    lastErrors = Defaults.list(lastErrors);
    lastSkipped = Defaults.list(lastSkipped);
  }
}
