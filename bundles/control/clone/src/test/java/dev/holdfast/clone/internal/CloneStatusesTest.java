package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.CloneStatus;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Pauses between attempts on nodes whose clocks differ. */
class CloneStatusesTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private static CloneStatus failed(int attempts) {
    return CloneStatuses.failed(CloneStatus.EMPTY.withAttempts(attempts), "away", NOW);
  }

  @Test
  void pauseGrowsToTenMinutes() {
    assertThat(CloneStatuses.left(failed(1), NOW)).contains(Duration.ofSeconds(10));
    assertThat(CloneStatuses.left(failed(3), NOW)).contains(Duration.ofSeconds(40));
    assertThat(CloneStatuses.left(failed(12), NOW)).contains(Duration.ofMinutes(10));
    assertThat(CloneStatuses.left(failed(12), NOW.plusSeconds(600))).isEmpty();
  }

  @Test
  void nodeWhoseClockIsBehindWaitsToo() {
    assertThat(CloneStatuses.left(failed(12), NOW.minusSeconds(1)))
        .contains(Duration.ofSeconds(601));
  }

  @Test
  void clockThatWasSetBackByHoursEndsThePause() {
    assertThat(CloneStatuses.left(failed(12), NOW.minus(Duration.ofHours(2)))).isEmpty();
  }
}
