package dev.holdfast.authorization.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Limits look-ups of unknown tokens in the store, because any client can send them: a burst of 20
 * and 5 per second. Thread-safe.
 */
final class LookupLimit {
  private static final long BURST = 20;
  private static final Duration PER_LOOKUP = Duration.ofMillis(200);

  private final Clock clock;
  private long available = BURST;
  private Instant filled;

  LookupLimit(Clock clock) {
    this.clock = clock;
    this.filled = clock.instant();
  }

  /** Returns whether another look-up is permitted. */
  synchronized boolean take() {
    long gained = Math.max(0, Duration.between(filled, clock.instant()).dividedBy(PER_LOOKUP));
    available = Math.min(BURST, available + gained);
    filled = filled.plus(PER_LOOKUP.multipliedBy(gained));
    if (available == 0) {
      return false;
    }
    available--;
    return true;
  }
}
