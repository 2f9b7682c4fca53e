package dev.holdfast.engine.sparse.internal.replica;

import java.time.Duration;

/** Clock for the time-outs of members. */
public interface MemberClock {

  /** Returns a monotonic time in nanoseconds. */
  long nanoTime();

  /** Runs an action once after a delay, on a thread where it may block. */
  void later(Duration delay, Runnable action);
}
