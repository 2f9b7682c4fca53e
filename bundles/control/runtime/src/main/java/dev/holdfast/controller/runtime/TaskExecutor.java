package dev.holdfast.controller.runtime;

import java.time.Duration;

/**
 * Executor of the runtime's work and waits: threads in a container, a virtual clock in tests. All
 * waiting of the runtime is a scheduled task, so that one thread can play many nodes.
 */
public interface TaskExecutor {

  /** Runs a task soon, on any thread. */
  void execute(Runnable task);

  /**
   * Runs a task after a while, on any thread.
   *
   * @return cancels the task if it has not begun, never null
   */
  Cancellable schedule(Runnable task, Duration delay);

  /** Returns a monotonic time in nanoseconds, which no correction of the wall clock moves. */
  long nanoTime();

  /** Something that can be called off. */
  interface Cancellable {
    /** Calls it off; without effect when it has begun. */
    void cancel();
  }
}
