package dev.holdfast.frontend;

import java.util.Objects;

/**
 * Identity that a client proved.
 *
 * @param type how it was proven, not null
 * @param name a name of that type, not null
 * @since 2.2
 */
public record ClientIdentity(Type type, String name) {

  /** Ways to prove an identity. */
  public enum Type {
    /** A client's TLS certificate; the name is its SHA-256 in hexadecimal digits. */
    CERTIFICATE,
    /** The certificate of a node of the cluster; the name is the node's. */
    MEMBER,
    /** A secret that the {@link ClientDirectory} has; the name is the initiator's IQN or NQN. */
    INITIATOR,
    /**
     * A secret or key in a file of the frontend's own. The file gives the right to all exports; the
     * name is the initiator's IQN or NQN.
     */
    CONFIGURED
  }

  /** Checks that nothing is missing. */
  public ClientIdentity {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
  }
}
