package dev.holdfast.access;

import java.util.Objects;

/**
 * Whether a caller may do what a request asks.
 *
 * @param allowed whether it may
 * @param reason the role that permits it, or the right that is missing; never empty
 */
public record AccessDecision(boolean allowed, String reason) {
  /** Checks that nothing is missing. */
  public AccessDecision {
    Objects.requireNonNull(reason, "reason");
  }

  /** Returns a permission by a role. */
  public static AccessDecision byRole(String role) {
    return new AccessDecision(true, "role " + role);
  }

  /** Returns a refusal. */
  public static AccessDecision refused(String reason) {
    return new AccessDecision(false, reason);
  }
}
