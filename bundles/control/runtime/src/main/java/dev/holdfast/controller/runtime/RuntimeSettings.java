package dev.holdfast.controller.runtime;

import java.time.Duration;

/**
 * Workers, delays and lease times of a runtime.
 *
 * @param workers number of names that one reconciler processes at a time
 * @param firstRetry delay after the first failure of a name
 * @param longestRetry upper limit of the growing delays
 * @param conflictRetry delay after a CONFLICT
 * @param leaseDuration time for which other nodes wait for a silent holder
 * @param leaseRenewal interval at which a holder renews
 * @param lateAfter duration after which a step is reported as hanging
 */
public record RuntimeSettings(
    int workers,
    Duration firstRetry,
    Duration longestRetry,
    Duration conflictRetry,
    Duration leaseDuration,
    Duration leaseRenewal,
    Duration lateAfter) {
  /** Settings of a node. */
  public static final RuntimeSettings DEFAULT =
      new RuntimeSettings(
          4,
          Duration.ofMillis(200),
          Duration.ofSeconds(30),
          Duration.ofMillis(20),
          Duration.ofSeconds(15),
          Duration.ofSeconds(4),
          Duration.ofMinutes(1));

  /** Returns these settings with another time after which a step counts as hanging. */
  public RuntimeSettings withLateAfter(Duration duration) {
    return new RuntimeSettings(
        workers, firstRetry, longestRetry, conflictRetry, leaseDuration, leaseRenewal, duration);
  }

  /** Checks that a holder renews in time. */
  public RuntimeSettings {
    if (leaseRenewal.multipliedBy(2).compareTo(leaseDuration) > 0) {
      throw new IllegalArgumentException(
          "leaseRenewal: must be at most half of leaseDuration (" + leaseDuration + ")");
    }
  }
}
