package dev.holdfast.clone.internal;

import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Statuses of a copy. */
final class CloneStatuses {
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  /**
   * A longer remaining time means that a clock was set back, because clocks of nodes differ by
   * less.
   */
  private static final Duration MOST_LEFT = LONGEST_PAUSE.multipliedBy(2);

  private static final int MOST_DOUBLINGS = 10;

  private CloneStatuses() {}

  /** Thrown when an attempt cannot succeed; the message is shown to users. */
  static final class Impossible extends Exception {
    private static final long serialVersionUID = 1;

    Impossible(String message) {
      super(message);
    }
  }

  /** Returns the status after a failed attempt. Each failure doubles the next pause. */
  static CloneStatus failed(CloneStatus status, String why, Instant now) {
    int doublings = Math.min(MOST_DOUBLINGS, Math.max(0, status.attempts() - 1));
    Duration pause = FIRST_PAUSE.multipliedBy(1L << doublings);
    Duration limited = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    return status
        .withState(CloneState.FAILED)
        .withNodeID("")
        .withNextAttemptAt(Optional.of(now.plus(limited).truncatedTo(ChronoUnit.SECONDS)))
        .withMessage(why);
  }

  /**
   * Returns the remaining time until the next attempt; empty if it is due, or the clock was set
   * back.
   */
  static Optional<Duration> left(CloneStatus status, Instant now) {
    return status
        .nextAttemptAt()
        .map(at -> Duration.between(now, at))
        .filter(left -> !left.isNegative() && !left.isZero() && left.compareTo(MOST_LEFT) <= 0);
  }
}
