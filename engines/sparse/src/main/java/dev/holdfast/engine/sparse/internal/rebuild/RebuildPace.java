package dev.holdfast.engine.sparse.internal.rebuild;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A limit for several threads together, which can be changed while they wait. Thread-safe. */
final class RebuildPace {
  private final BooleanSupplier over;
  private long bytesPerSecond;
  private long next = System.nanoTime();

  /**
   * Sets the first limit.
   *
   * @param bytesPerSecond 0 for none
   * @param over whether nobody needs to wait any more
   */
  RebuildPace(long bytesPerSecond, BooleanSupplier over) {
    this.bytesPerSecond = bytesPerSecond;
    this.over = over;
  }

  synchronized void change(long limit) {
    bytesPerSecond = limit;
    next = System.nanoTime();
    notifyAll();
  }

  /** Wakes those who wait, because it is over. */
  synchronized void wake() {
    notifyAll();
  }

  /** Waits until these bytes may be moved. */
  synchronized void await(long bytes) throws InterruptedException {
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
}
