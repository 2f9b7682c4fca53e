package dev.holdfast.itests;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state of another process that can only be observed from outside. */
final class Await {
  private static final Duration PAUSE = Duration.ofMillis(50);

  private Await() {}

  static void until(String what, Duration limit, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (!condition.call()) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("not within " + limit + ": " + what);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    } catch (Exception e) {
      throw new AssertionError("cannot tell: " + what, e);
    }
  }
}
