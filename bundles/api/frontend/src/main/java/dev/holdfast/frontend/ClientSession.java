package dev.holdfast.frontend;

import java.time.Instant;
import java.util.Objects;

/**
 * Use of an export by one connection of a client.
 *
 * @param id random and unique, not null
 * @param frontend name of the frontend, not null
 * @param peer address of the client, not null
 * @param client identity of the client; {@link #LOCAL} for the node's account, which needs no
 *     identity at the UNIX socket; empty if the client proved none, not null
 * @param export name of the export, not null
 * @param begin time at which the use began, not null
 * @since 2.2
 */
public record ClientSession(
    String id, String frontend, String peer, String client, String export, Instant begin) {
  /** Name of the clients at the UNIX socket of a node. */
  public static final String LOCAL = "system:local";

  /** Rejects null components. */
  public ClientSession {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(frontend, "frontend");
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(begin, "begin");
  }
}
