package dev.holdfast.apiserver.internal.http;

import java.time.Duration;

/** By when a client must have done what it is expected to do; read from another thread. */
final class Deadline {
  private volatile long since;
  private volatile Duration limit = Duration.ZERO;

  /** Begins to wait for the client. */
  void within(Duration allowed) {
    limit = Duration.ZERO;
    since = System.nanoTime();
    limit = allowed;
  }

  /** Does not wait for the client any more. */
  void clear() {
    limit = Duration.ZERO;
  }

  /** Returns whether the client is too late. */
  boolean isOver(long now) {
    Duration allowed = limit;
    return !allowed.isZero() && now - since > allowed.toNanos();
  }
}
