package dev.holdfast.http.internal.exchange;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A time by which something must have happened. Setting and clearing it costs almost nothing: a
 * scheduled check that comes too early is repeated. For one event loop.
 */
public final class LoopDeadline {
  private final EventExecutor loop;
  private final Runnable late;
  private boolean set;
  private long at;
  private Optional<Future<?>> check = Optional.empty();
  private long checkAt;

  /** Runs {@code late} on the loop when a deadline was missed, which is then cleared. */
  public LoopDeadline(EventExecutor loop, Runnable late) {
    this.loop = loop;
    this.late = late;
  }

  /** Sets the deadline, in place of the one before. */
  public void within(Duration limit) {
    set = true;
    at = System.nanoTime() + limit.toNanos();
    if (check.isPresent() && checkAt - at > 0) {
      cancelCheck();
    }
    if (check.isEmpty()) {
      schedule(limit.toNanos());
    }
  }

  /** Clears the deadline. */
  public void clear() {
    set = false;
  }

  /** Clears it and forgets the check, when the channel has ended. */
  public void end() {
    set = false;
    cancelCheck();
  }

  private void cancelCheck() {
    check.ifPresent(scheduled -> scheduled.cancel(false));
    check = Optional.empty();
  }

  private void schedule(long nanos) {
    checkAt = System.nanoTime() + nanos;
    check = Optional.of(loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS));
  }

  private void check() {
    check = Optional.empty();
    if (!set) {
      return;
    }
    long left = at - System.nanoTime();
    if (left > 0) {
      schedule(left);
    } else {
      set = false;
      late.run();
    }
  }
}
