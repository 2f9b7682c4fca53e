package dev.holdfast.engine.testkit;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits on a monitor with a time limit. */
final class Waits {
  private static final long LIMIT_SECONDS = 60;

  private Waits() {}

  /**
   * Waits until a condition holds. The caller owns the monitor, and each change notifies it.
   *
   * @throws AssertionError with the message when it does not hold in time
   */
  static void until(Object monitor, BooleanSupplier condition, Supplier<String> otherwise)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    synchronized (monitor) {
      while (!condition.getAsBoolean()) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError(otherwise.get() + " after " + LIMIT_SECONDS + " s");
        }
        monitor.wait(left);
      }
    }
  }
}
