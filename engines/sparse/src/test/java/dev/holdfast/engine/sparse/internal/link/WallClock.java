package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Member clock with the time of this machine. */
record WallClock(ScheduledExecutorService timer, Executor executor) implements MemberClock {
  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void later(Duration delay, Runnable action) {
    var unused =
        timer.schedule(() -> executor.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
