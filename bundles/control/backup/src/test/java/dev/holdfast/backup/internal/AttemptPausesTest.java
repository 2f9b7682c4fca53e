package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pauses between attempts on nodes whose clocks differ. */
class AttemptPausesTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  @Test
  void pauseGrowsToTenMinutes() {
    assertThat(AttemptPauses.next(1, NOW)).isEqualTo(NOW.plusSeconds(10));
    assertThat(AttemptPauses.next(3, NOW)).isEqualTo(NOW.plusSeconds(40));
    assertThat(AttemptPauses.next(9, NOW)).isEqualTo(NOW.plusSeconds(600));
  }

  @Test
  void nodeWhoseClockIsBehindWaitsToo() {
    Optional<Instant> next = Optional.of(AttemptPauses.next(9, NOW));
    assertThat(AttemptPauses.left(next, NOW.minusSeconds(30))).contains(Duration.ofSeconds(630));
    assertThat(AttemptPauses.left(next, NOW.plusSeconds(600))).isEmpty();
  }

  @Test
  void clockThatWasSetBackByHoursEndsThePause() {
    Optional<Instant> next = Optional.of(AttemptPauses.next(9, NOW));
    assertThat(AttemptPauses.left(next, NOW.minus(Duration.ofHours(2)))).isEmpty();
  }
}
