package dev.holdfast.processes;

import java.time.Duration;

/**
 * When a process that ended by itself is started again. The wait doubles with each end until it
 * reaches its maximum.
 *
 * @param firstWait wait before the first restart, positive
 * @param longestWait longest wait between two starts, at least {@code firstWait}
 * @param resetAfter a process that ran this long counts as sound: the next wait is the first one
 *     again, positive
 * @param attempts how many restarts without a sound run may follow each other before the supervisor
 *     gives up; 0 for none
 */
public record RestartPolicy(
    Duration firstWait, Duration longestWait, Duration resetAfter, int attempts) {
  /**
   * Waits 1 s to 1 min, begins again with the shortest wait after 5 min, never stops restarting.
   */
  public static final RestartPolicy ALWAYS =
      new RestartPolicy(
          Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMinutes(5), Integer.MAX_VALUE);

  /** A process that ended stays so. */
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
   * @param failures how many times in a row the process ended too early, from 1
   */
  public Duration wait(int failures) {
    Duration wait = firstWait;
    for (int doubled = 1; doubled < failures && wait.compareTo(longestWait) < 0; doubled++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(longestWait) < 0 ? wait : longestWait;
  }
}
