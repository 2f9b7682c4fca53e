package dev.holdfast.portal.internal.transport;

import java.time.Duration;
import java.util.Objects;

/**
 * Time limits of the replacement of a frontend.
 *
 * @param call limit of a call into the frontend that parks or resumes a session
 * @param leave limit for which the removal of a bundle waits for its sessions
 * @param parked time for which a session waits for a bundle before its connection is closed
 */
public record ReplacementLimits(Duration call, Duration leave, Duration parked) {

  public ReplacementLimits {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(leave, "leave");
    Objects.requireNonNull(parked, "parked");
  }

  public static ReplacementLimits standard() {
    return new ReplacementLimits(
        Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofMinutes(2));
  }

  public ReplacementLimits parked(Duration other) {
    return new ReplacementLimits(call, leave, other);
  }
}
