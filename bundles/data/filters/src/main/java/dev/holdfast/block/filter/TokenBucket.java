package dev.holdfast.block.filter;

/**
 * An allowance that grows with time up to a bound. A cost above the bound is permitted when the
 * allowance is full, and leaves a debt. Used under the lock of its device.
 */
final class TokenBucket {
  private static final double NANOS = 1e9;

  private final double rate;
  private final double capacity;
  private double tokens;
  private long filledAt;

  /** Creates a full bucket. */
  TokenBucket(long perSecond, int burstSeconds, long now) {
    rate = perSecond;
    capacity = (double) perSecond * burstSeconds;
    tokens = capacity;
    filledAt = now;
  }

  /** Returns the delay of a cost in nanoseconds, 0 when it is permitted now. */
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
