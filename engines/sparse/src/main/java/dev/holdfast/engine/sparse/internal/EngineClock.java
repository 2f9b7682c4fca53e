package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Clock of this process for the member logic. Tasks that are still scheduled when the engine stops
 * never run.
 */
final class EngineClock implements MemberClock {
  private final ScheduledExecutorService timer;
  private final Executor executor;

  EngineClock(ScheduledExecutorService timer, Executor executor) {
    this.timer = timer;
    this.executor = executor;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void later(Duration delay, Runnable action) {
    try {
      var unused = timer.schedule(() -> run(action), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The engine is stopping and closes its volumes: the task is not needed.
    }
  }

  private void run(Runnable action) {
    try {
      executor.execute(action);
    } catch (RejectedExecutionException e) {
      // The engine is stopping: see {@link #run}.
    }
  }
}
