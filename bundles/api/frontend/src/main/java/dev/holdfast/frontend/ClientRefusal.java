package dev.holdfast.frontend;

import java.util.Objects;

/**
 * A client that was refused.
 *
 * @param frontend name of the frontend, not null
 * @param peer address of the client, not null
 * @param client what the client is known by, empty when it proved no identity, not null
 * @param export name of the export that it asked for, empty for none, not null
 * @param reason why it was refused, not null
 * @param message one sentence for the audit log, not null
 * @since 2.2
 */
public record ClientRefusal(
    String frontend, String peer, String client, String export, Reason reason, String message) {

  /** Reasons, which are counted separately. */
  public enum Reason {
    /** The client proved no identity, and a credential is required. */
    NO_CREDENTIAL,
    /** The client's certificate is unknown, expired or withdrawn. */
    CERTIFICATE,
    /** The client has no secret here, or a wrong one. */
    SECRET,
    /** The client may not use this export. */
    EXPORT,
    /** The client was removed, or lost the right to an export, while it was connected. */
    WITHDRAWN
  }

  /** Checks that nothing is missing. */
  public ClientRefusal {
    Objects.requireNonNull(frontend, "frontend");
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
  }
}
