package dev.holdfast.controller.runtime;

import java.time.Duration;

/**
 * Executor of the runtime's work and delays: threads in a container, a virtual clock in tests.
 * Every wait of the runtime is a scheduled task, so that one thread can simulate many nodes.
 */
public interface TaskExecutor {

  /** Runs a task soon, on any thread. */
  void execute(Runnable task);

  /**
   * Runs a task after a delay, on any thread.
   *
   * @return cancels the task if it has not started, never null
   */
  Cancellable schedule(Runnable task, Duration delay);

  /** Returns a monotonic time in nanoseconds, which no correction of the wall clock moves. */
  long nanoTime();

  /** A scheduled task that can be cancelled. */
  interface Cancellable {
    /** Cancels the task. Has no effect once the task has started. */
    void cancel();
  }
}
