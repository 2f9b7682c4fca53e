package dev.holdfast.itests.container;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for a state of which the framework sends no event. */
final class Await {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private Await() {}

  static void until(Supplier<String> what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + LIMIT + ": " + what.get());
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
