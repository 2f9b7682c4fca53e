package dev.holdfast.image.internal.control;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Times of attempts after failures: 5 s, then twice as long each time, at most 5 minutes. */
final class AttemptPause {
  static final Duration LONGEST = Duration.ofMinutes(5);

  /**
   * A longer remaining time means that a clock was set back, because clocks of nodes differ by
   * less.
   */
  private static final Duration MOST_LEFT = LONGEST.multipliedBy(2);

  private static final Duration SHORTEST = Duration.ofSeconds(5);
  private static final int MOST_DOUBLINGS = 6;

  private AttemptPause() {}

  /** Returns the time of the next attempt after a number of consecutive failures. */
  static Instant next(int failures, Instant now) {
    int doublings = Math.min(Math.max(0, failures - 1), MOST_DOUBLINGS);
    Duration pause = SHORTEST.multipliedBy(1L << doublings);
    return now.plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause).truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Returns whether an attempt is due. A time far in the future means that the clock was set back.
   */
  static boolean isDue(Optional<Instant> next, Instant now) {
    return next.filter(at -> !at.isAfter(now) || at.isAfter(now.plus(MOST_LEFT))).isPresent();
  }
}
