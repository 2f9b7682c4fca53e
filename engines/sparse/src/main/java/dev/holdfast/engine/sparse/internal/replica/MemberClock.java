package dev.holdfast.engine.sparse.internal.replica;

import java.time.Duration;

/** The time by which members on other nodes are judged. */
public interface MemberClock {

  /** Returns a time in nanoseconds that only rises. */
  long nanoTime();

  /** Runs something once after a delay, on a thread where it may block. */
  void later(Duration delay, Runnable action);
}
