package dev.holdfast.frontend;

import java.util.Objects;

/**
 * Refusal of a client.
 *
 * @param frontend name of the frontend, not null
 * @param peer address of the client, not null
 * @param client identity of the client, empty if it proved none, not null
 * @param export name of the requested export, empty for none, not null
 * @param reason why it was refused, not null
 * @param message one sentence for the audit log, not null
 * @since 2.2
 */
public record ClientRefusal(
    String frontend, String peer, String client, String export, Reason reason, String message) {

  /** Reasons of refusals, which are counted separately. */
  public enum Reason {
    /** The client proved no identity, but a credential is required. */
    NO_CREDENTIAL,
    /** The client's certificate is unknown, expired or revoked. */
    CERTIFICATE,
    /** The client's secret is missing here or wrong. */
    SECRET,
    /** The client may not use this export. */
    EXPORT,
    /** The client was removed or lost the right to an export during its connection. */
    WITHDRAWN
  }

  /** Rejects null components. */
  public ClientRefusal {
    Objects.requireNonNull(frontend, "frontend");
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
  }
}
