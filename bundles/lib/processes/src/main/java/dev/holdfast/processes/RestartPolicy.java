package dev.holdfast.processes;

import java.time.Duration;

/**
 * Restart of processes that ended by themselves. The wait doubles with each end up to its maximum.
 *
 * @param firstWait wait before the first restart, positive
 * @param longestWait longest wait between two starts, at least {@code firstWait}
 * @param resetAfter run time after which the next wait is {@code firstWait} again, positive
 * @param attempts limit of consecutive restarts without a run of {@code resetAfter}; 0 for none
 */
public record RestartPolicy(
    Duration firstWait, Duration longestWait, Duration resetAfter, int attempts) {
  /** Waits from 1 s to 1 min, resets the wait after 5 min, and restarts without a limit. */
  public static final RestartPolicy ALWAYS =
      new RestartPolicy(
          Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMinutes(5), Integer.MAX_VALUE);

  /** Does not restart processes. */
  public static final RestartPolicy NEVER =
      new RestartPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMinutes(5), 0);

  /** Checks the ranges. */
  public RestartPolicy {
    requirePositive("firstWait", firstWait);
    requirePositive("resetAfter", resetAfter);
    if (longestWait.compareTo(firstWait) < 0) {
      throw new IllegalArgumentException(
          "longestWait: " + longestWait + ", must be at least firstWait, " + firstWait);
    }
    if (attempts < 0) {
      throw new IllegalArgumentException("attempts: " + attempts + ", must not be negative");
    }
  }

  static void requirePositive(String field, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(field + ": " + duration + ", must be positive");
    }
  }

  /**
   * Returns the wait before a restart.
   *
   * @param failures number of consecutive early ends, at least 1
   */
  public Duration wait(int failures) {
    Duration wait = firstWait;
    for (int doubled = 1; doubled < failures && wait.compareTo(longestWait) < 0; doubled++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(longestWait) < 0 ? wait : longestWait;
  }
}
