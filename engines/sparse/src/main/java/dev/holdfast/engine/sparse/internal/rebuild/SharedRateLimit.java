package dev.holdfast.engine.sparse.internal.rebuild;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A rate limit shared by several threads. It can be changed while they wait. Thread-safe. */
public final class SharedRateLimit {
  private final BooleanSupplier over;
  private long bytesPerSecond;
  private long next = System.nanoTime();

  /**
   * Sets the first limit.
   *
   * @param bytesPerSecond bytes per second, 0 for no limit
   * @param over whether waits end at once
   */
  public SharedRateLimit(long bytesPerSecond, BooleanSupplier over) {
    this.bytesPerSecond = bytesPerSecond;
    this.over = over;
  }

  public synchronized void change(long limit) {
    bytesPerSecond = limit;
    next = System.nanoTime();
    notifyAll();
  }

  /** Wakes waiting threads, because the work has ended. */
  public synchronized void wake() {
    notifyAll();
  }

  /** Waits until these bytes may be transferred. */
  public synchronized void await(long bytes) throws InterruptedException {
    while (bytesPerSecond > 0 && !over.getAsBoolean()) {
      long now = System.nanoTime();
      long wait = TimeUnit.NANOSECONDS.toMillis(next - now);
      if (wait <= 0) {
        double seconds = (double) bytes / bytesPerSecond;
        next = Math.max(next, now) + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        return;
      }
      wait(wait);
    }
  }

  /** Pauses so that other work can run; returns early when the work has ended. */
  public synchronized void rest(Duration pause) throws InterruptedException {
    long end = System.nanoTime() + pause.toNanos();
    for (long left = pause.toMillis(); left > 0 && !over.getAsBoolean(); ) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }
}
