package dev.holdfast.frontend;

import java.util.Objects;

/**
 * Identity that a client proved.
 *
 * @param type form of the proof, not null
 * @param name name of the client in the form of the type, not null
 * @since 2.2
 */
public record ClientIdentity(Type type, String name) {

  /** Forms of proof of an identity. */
  public enum Type {
    /** A client's TLS certificate; the name is its SHA-256 in hexadecimal digits. */
    CERTIFICATE,
    /** The certificate of a member node; the name is the node's name. */
    MEMBER,
    /** A secret of the {@link ClientDirectory}; the name is the initiator's IQN or NQN. */
    INITIATOR,
    /**
     * A secret or key in a file of the frontend. The file permits access to all exports. The name
     * is the initiator's IQN or NQN.
     */
    CONFIGURED
  }

  /** Rejects null components. */
  public ClientIdentity {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
  }
}
