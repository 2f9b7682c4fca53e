package dev.holdfast.apiserver.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Limits the audit lines of requests without a valid credential, which any client can send without
 * limit: a burst of 60 and one per second. Thread-safe.
 */
final class RefusalLimit {
  private static final long BURST = 60;
  private static final Duration PER_LINE = Duration.ofSeconds(1);

  private final Clock clock;
  private long available = BURST;
  private long suppressed;
  private Instant filled;

  RefusalLimit(Clock clock) {
    this.clock = clock;
    this.filled = clock.instant();
  }

  /**
   * Returns the number of suppressed lines before this one; empty if this line is suppressed too.
   */
  synchronized OptionalLong take() {
    Instant now = clock.instant();
    long gained = Math.max(0, Duration.between(filled, now).dividedBy(PER_LINE));
    available = Math.min(BURST, available + gained);
    filled = filled.plus(PER_LINE.multipliedBy(gained));
    if (available == 0) {
      suppressed++;
      return OptionalLong.empty();
    }
    available--;
    long before = suppressed;
    suppressed = 0;
    return OptionalLong.of(before);
  }
}
