package dev.holdfast.processes;

import java.time.Duration;
import java.util.Objects;

/**
 * How often the health of a process is checked, and after which failures it is restarted.
 *
 * @param check the check to run, not null
 * @param startPatience how long after its start a process may fail checks, not negative; it is
 *     {@link ProcessState#STARTING} until the first check succeeds
 * @param interval between two checks, positive
 * @param timeout after which a check that has not returned counts as failed, positive
 * @param failures how many failed checks in a row make the process unhealthy, positive
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
   * Checks every 5 s, allows 30 s for the start, and restarts after three failed checks in a row.
   */
  public static HealthProbe of(HealthCheck check) {
    return new HealthProbe(
        check, Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofSeconds(10), 3);
  }
}
