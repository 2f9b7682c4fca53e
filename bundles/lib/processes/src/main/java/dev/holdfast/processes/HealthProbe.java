package dev.holdfast.processes;

import java.time.Duration;
import java.util.Objects;

/**
 * Interval of the health checks of a process, and the failures after which it is restarted.
 *
 * @param check the check to run, not null
 * @param startPatience time after the start in which failed checks are permitted, not negative; the
 *     process is {@link ProcessState#STARTING} until the first check succeeds
 * @param interval between two checks, positive
 * @param timeout time after which a running check counts as failed, positive
 * @param failures number of consecutive failed checks that make the process unhealthy, positive
 */
public record HealthProbe(
    HealthCheck check, Duration startPatience, Duration interval, Duration timeout, int failures) {
  /** Checks the ranges. */
  public HealthProbe {
    Objects.requireNonNull(check, "check");
    if (startPatience.isNegative()) {
      throw new IllegalArgumentException(
          "startPatience: " + startPatience + ", must not be negative");
    }
    RestartPolicy.requirePositive("interval", interval);
    RestartPolicy.requirePositive("timeout", timeout);
    if (failures < 1) {
      throw new IllegalArgumentException("failures: " + failures + ", must be positive");
    }
  }

  /**
   * Returns a probe that checks every 5 s, permits 30 s for the start, and restarts after three
   * consecutive failed checks.
   */
  public static HealthProbe of(HealthCheck check) {
    return new HealthProbe(
        check, Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofSeconds(10), 3);
  }
}
