package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pauses between attempts on nodes whose clocks differ. */
class AttemptPauseTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Optional<Instant> NEXT = Optional.of(AttemptPause.next(9, NOW));

  @Test
  void pauseGrowsToFiveMinutes() {
    assertThat(AttemptPause.next(1, NOW)).isEqualTo(NOW.plusSeconds(5));
    assertThat(NEXT).contains(NOW.plusSeconds(300));
    assertThat(AttemptPause.isDue(NEXT, NOW.plusSeconds(300))).isTrue();
  }

  @Test
  void nodeWhoseClockIsBehindWaitsToo() {
    assertThat(AttemptPause.isDue(NEXT, NOW.minusSeconds(30))).isFalse();
  }

  @Test
  void clockThatWasSetBackByHoursEndsThePause() {
    assertThat(AttemptPause.isDue(NEXT, NOW.minus(Duration.ofHours(2)))).isTrue();
  }
}
