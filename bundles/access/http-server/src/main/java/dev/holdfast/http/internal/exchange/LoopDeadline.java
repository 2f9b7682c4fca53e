package dev.holdfast.http.internal.exchange;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A deadline on an event loop. Setting and clearing it is very cheap, because an early check is
 * simply rescheduled. For one event loop.
 */
public final class LoopDeadline {
  private final EventExecutor loop;
  private final Runnable late;
  private boolean set;
  private long at;
  private Optional<Future<?>> check = Optional.empty();
  private long checkAt;

  /**
   * Creates a deadline that runs {@code late} on the loop when it is missed, and is then cleared.
   */
  public LoopDeadline(EventExecutor loop, Runnable late) {
    this.loop = loop;
    this.late = late;
  }

  /** Sets the deadline and replaces the previous one. */
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

  /** Clears the deadline and its check at the end of the channel. */
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
