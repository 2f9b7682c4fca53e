package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The time of this process. What is still to come when the engine stops does not happen. */
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
      // The engine stops; its volumes are closed.
    }
  }

  private void run(Runnable action) {
    try {
      executor.execute(action);
    } catch (RejectedExecutionException e) {
      // As above.
    }
  }
}
