package dev.holdfast.backup.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Times of attempts after failures: 10 s, then twice as long each time, at most 10 minutes. */
public final class AttemptPauses {
  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /**
   * A longer remaining time means that a clock was set back, because clocks of nodes differ by
   * less.
   */
  private static final Duration MOST_LEFT = LONGEST.multipliedBy(2);

  private static final int MOST_DOUBLINGS = 6;

  private AttemptPauses() {}

  /** Returns the time of the next attempt after a number of failed attempts. */
  public static Instant next(int attempts, Instant now) {
    int doublings = Math.min(MOST_DOUBLINGS, Math.max(0, attempts - 1));
    Duration pause = FIRST.multipliedBy(1L << doublings);
    Duration limited = pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    return now.plus(limited).truncatedTo(ChronoUnit.SECONDS);
  }

  /** Returns how long an attempt has to wait; empty when it is due, or the clock was set back. */
  public static Optional<Duration> left(Optional<Instant> next, Instant now) {
    return next.map(at -> Duration.between(now, at))
        .filter(left -> !left.isNegative() && !left.isZero() && left.compareTo(MOST_LEFT) <= 0);
  }
}
