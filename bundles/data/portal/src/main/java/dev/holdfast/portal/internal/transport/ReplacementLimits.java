package dev.holdfast.portal.internal.transport;

import java.time.Duration;
import java.util.Objects;

/**
 * How long the replacement of a frontend may take at most.
 *
 * @param call how long a call into the frontend may take that parks or resumes a session
 * @param leave how long the removal of a bundle waits for its sessions
 * @param parked how long a session waits for a bundle before its connection is closed
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
