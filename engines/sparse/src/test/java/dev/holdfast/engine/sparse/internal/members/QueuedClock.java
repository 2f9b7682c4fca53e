package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A stopped clock; a test runs the scheduled tasks. */
final class QueuedClock implements MemberClock {
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void later(Duration delay, Runnable action) {
    waiting.add(action);
  }

  /** Returns the number of scheduled tasks. */
  int waiting() {
    return waiting.size();
  }

  /** Runs the task that has waited longest. */
  void next() {
    waiting.remove().run();
  }
}
