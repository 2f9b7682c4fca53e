package dev.holdfast.block.filter;

/**
 * An allowance that grows with time up to a bound. What costs more than the bound may go when the
 * allowance is full, and leaves a debt. Used under the lock of its device.
 */
final class TokenBucket {
  private static final double NANOS = 1e9;

  private final double rate;
  private final double capacity;
  private double tokens;
  private long filledAt;

  /** A full bucket. */
  TokenBucket(long perSecond, int burstSeconds, long now) {
    rate = perSecond;
    capacity = (double) perSecond * burstSeconds;
    tokens = capacity;
    filledAt = now;
  }

  /** Returns how many nanoseconds a cost has to wait, 0 when it may go now. */
  long wait(long cost, long now) {
    fill(now);
    double missing = Math.min((double) cost, capacity) - tokens;
    return missing <= 0 ? 0 : Math.max(1, (long) Math.ceil(missing / rate * NANOS));
  }

  void take(long cost) {
    tokens -= cost;
  }

  private void fill(long now) {
    long elapsed = now - filledAt;
    if (elapsed > 0) {
      tokens = Math.min(capacity, tokens + elapsed / NANOS * rate);
      filledAt = now;
    }
  }
}
