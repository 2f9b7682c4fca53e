package dev.holdfast.access;

import java.util.Objects;

/**
 * Result of the check whether a caller may send a request.
 *
 * @param allowed whether the caller may send the request
 * @param reason the role that permits it, or the right that is missing; never empty
 */
public record AccessDecision(boolean allowed, String reason) {
  /** Rejects null components. */
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
