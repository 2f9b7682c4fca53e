package dev.holdfast.apiserver.internal.auth;

import java.util.Objects;

/**
 * Sender of a request.
 *
 * @param role what it may do
 * @param node the name of the node, empty for who is none
 */
public record Caller(Role role, String node) {
  /** Has the administrator's token. */
  static final Caller ADMIN = new Caller(Role.ADMIN, "");

  /** Has shown nothing. */
  static final Caller ANYBODY = new Caller(Role.ANYBODY, "");

  public Caller {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(node, "node");
  }

  static Caller node(String name) {
    return new Caller(Role.NODE, name);
  }

  /** Rights of a caller. */
  public enum Role {
    /** Everything. */
    ADMIN,
    /** The rights that controllers need. */
    NODE,
    /** The rights without a credential. */
    ANYBODY
  }
}
