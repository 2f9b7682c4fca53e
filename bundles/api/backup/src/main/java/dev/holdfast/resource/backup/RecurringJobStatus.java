package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a recurring job.
 *
 * @param lastScheduledAt scheduled time of the last run
 * @param nextScheduledAt time of the next run; empty while the job is suspended
 * @param lastSucceededAt time of the last run without an error
 * @param handledUntil end of the processed times; earlier times were started, were missed, or
 *     precede the present schedule
 * @param handledSchedule schedule to which handledUntil applies
 * @param pending volumes of the last run that wait for processing
 * @param active names of the volumes that are being processed
 * @param executionCount number of the last run, which increases with each run
 * @param lastErrors failures of volumes in the last run with the cause, at most 20
 * @param lastSkipped volumes that the last run skipped with the reason, at most 20
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
  /** The value with all fields at their defaults. */
  public static final RecurringJobStatus EMPTY = RecurringJobStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
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
