package dev.holdfast.controller.runtime;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Delays that double with each failure up to a cap. Each is extended by up to a quarter at random,
 * so that many failing keys are not retried together.
 *
 * @param first delay after the first failure
 * @param cap longest delay before the extension
 */
record Backoff(Duration first, Duration cap) {
  private static final int MOST_DOUBLINGS = 30;

  /**
   * Returns the delay after a number of consecutive failures.
   *
   * @param failures at least 1
   * @param random source of the jitter
   */
  Duration after(int failures, RandomGenerator random) {
    double factor = Math.pow(2, Math.min(failures - 1, MOST_DOUBLINGS));
    double nanos = Math.min(first.toNanos() * factor, (double) cap.toNanos());
    return Duration.ofNanos((long) (nanos * (1 + random.nextDouble() / 4)));
  }
}
