package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.backup.MissedRuns;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RecurringJobStatus;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The due run of a job at 03:00 each day: a table of cases. */
class DueRunTest {
  private static final RecurringJobSpec NIGHTLY =
      RecurringJobSpec.EMPTY.withTask("backup").withCron("0 3 * * *").withRetain(1);

  private static Optional<Instant> time(String text) {
    return text == null
        ? Optional.empty()
        : Optional.of(Instant.parse("2026-11-" + text.replace(' ', 'T') + "Z"));
  }

  private static RecurringJob job(RecurringJobSpec spec, String handled) {
    RecurringJob job = RecurringJob.of("nightly", spec);
    ObjectMeta created = job.metadata().withCreationTimestamp(time("20 12:00:00"));
    return job.withMetadata(created)
        .withStatus(
            RecurringJobStatus.EMPTY
                .withHandledUntil(time(handled))
                .withHandledSchedule(handled == null ? "" : DueRun.scheduleText(NIGHTLY)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # missed | deadline | handled until | now | begins | missed | handled then
          once | 0    |             | 20 13:00:00 |             |             | 20 12:00:00
          once | 0    |             | 21 03:00:00 | 21 03:00:00 |             | 21 03:00:00
          once | 0    | 21 03:00:00 | 21 03:00:01 |             |             | 21 03:00:00
          once | 0    | 21 03:00:00 | 22 02:59:59 |             |             | 21 03:00:00
          once | 0    | 21 03:00:00 | 25 09:00:00 | 25 03:00:00 |             | 25 03:00:00
          once | 3600 | 21 03:00:00 | 25 03:59:59 | 25 03:00:00 |             | 25 03:00:00
          once | 3600 | 21 03:00:00 | 25 09:00:00 |             | 25 03:00:00 | 25 03:00:00
          skip | 0    | 21 03:00:00 | 22 03:00:30 | 22 03:00:00 |             | 22 03:00:00
          skip | 0    | 21 03:00:00 | 22 03:01:01 |             | 22 03:00:00 | 22 03:00:00
          skip | 3600 | 21 03:00:00 | 22 03:01:01 |             | 22 03:00:00 | 22 03:00:00
          # The clock was set back: by little, and by more than an hour.
          once | 0    | 21 03:00:00 | 21 02:30:00 |             |             | 21 03:00:00
          once | 0    | 21 03:00:00 | 21 01:30:00 |             |             | 21 01:30:00
          once | 0    | 28 03:00:00 | 21 01:30:00 |             |             | 21 01:30:00
          """)
  void runIsDueByTheTable(
      String missedRuns,
      int deadline,
      String handled,
      String now,
      String begins,
      String missed,
      String handledThen) {
    RecurringJobSpec spec =
        NIGHTLY
            .withMissedRuns(missedRuns.equals("skip") ? MissedRuns.SKIP : MissedRuns.ONCE)
            .withStartingDeadlineSeconds(deadline);
    DueRun due = DueRun.of(job(spec, handled), time(now).orElseThrow());

    assertThat(due.begins()).isEqualTo(time(begins));
    assertThat(due.missed()).isEqualTo(time(missed));
    assertThat(due.handledUntil()).isEqualTo(time(handledThen).orElseThrow());
    assertThat(due.next().orElseThrow()).isAfter(time(now).orElseThrow());
  }

  @Test
  void timesBeforeAnotherScheduleAreNotMadeUp() {
    RecurringJob job = job(NIGHTLY.withCron("0 4 * * *"), "21 03:00:00");
    DueRun due = DueRun.of(job, time("22 05:00:00").orElseThrow());

    assertThat(due.begins()).isEmpty();
    assertThat(due.handledUntil()).isEqualTo(time("22 05:00:00").orElseThrow());
    assertThat(due.next()).isEqualTo(time("23 04:00:00"));
  }

  @Test
  void suspendedJobHasNoNextRunAndMakesNoneUpLater() {
    RecurringJob suspended = job(NIGHTLY.withSuspend(true), "21 03:00:00");
    DueRun due = DueRun.of(suspended, time("23 05:00:00").orElseThrow());
    assertThat(due.begins()).isEmpty();
    assertThat(due.next()).isEmpty();

    RecurringJobStatus status =
        suspended
            .status()
            .withHandledUntil(Optional.of(due.handledUntil()))
            .withHandledSchedule(DueRun.scheduleText(suspended.spec()));
    RecurringJob resumed = suspended.withSpec(NIGHTLY).withStatus(status);
    DueRun then = DueRun.of(resumed, time("25 05:00:00").orElseThrow());
    assertThat(then.begins()).isEmpty();
    assertThat(then.next()).isEqualTo(time("26 03:00:00"));
  }
}
