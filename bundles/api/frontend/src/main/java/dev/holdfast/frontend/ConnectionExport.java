package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The export side of a client's connection: which volumes the client may choose from, and which one
 * the connection is tied to. The rules of {@link FrontendConnection} for threads and for the end of
 * the session apply.
 *
 * @since 2.0
 */
@ProviderType
public interface ConnectionExport {

  /** Returns the exports of this connection's frontend that its client may use, never null. */
  ExportCatalogue exports();

  /**
   * Returns whether the client has to prove an identity to use an export. False for the UNIX
   * socket, for an export that is open to all, and where the node's setting admits the client
   * without. The answer does not depend on whether the client has proven one.
   *
   * @param export name, not null; empty for the question whether any export needs one
   * @since 2.2
   */
  default boolean needsIdentity(String export) {
    return false;
  }

  /**
   * Returns the secret of an initiator, which it has to prove to know. May wait some seconds for
   * the node that the initiator belongs to.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @param export name of the export that it connects to, empty in a session for discovery, not
   *     null
   * @return empty when the cluster has none for it
   * @throws StorageException when the secret exists and cannot be read, or its node does not answer
   * @since 2.2
   */
  default Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return Optional.empty();
  }

  /**
   * Says that the client proved an identity, or that the session will serve no request before it
   * has. From now on {@link #exports} has only what this identity may use. The identity stays with
   * the connection while sessions follow each other.
   *
   * @param identity not null
   * @since 2.2
   */
  default void identify(ClientIdentity identity) {}

  /**
   * Takes note that the client failed to prove an identity.
   *
   * @param initiator the name that it claims, not null
   * @param message one sentence, not null
   * @since 2.2
   */
  default void refused(String initiator, String message) {}

  /**
   * Returns whether the client may only read an export. The device of {@link #attach} refuses
   * everything else then.
   *
   * @param export name, not null
   * @since 2.2
   */
  default boolean readOnly(String export) {
    return false;
  }

  /**
   * Ties this connection to an export: withdrawing the export ends the connection. Also ends the
   * handshake, which lifts its time limit. A connection is tied to at most one export.
   *
   * @param export name, not null
   * @return its device, or empty when the export does not exist (any more), or the client may not
   *     use it
   */
  Optional<BlockDevice> attach(String export);

  /**
   * Returns the device of the export that this connection is tied to, or empty when it is tied to
   * none. A session that resumes finds its device by this method.
   */
  Optional<BlockDevice> attached();

  /**
   * Returns the state that all connections of this connection's export share, or empty when the
   * connection is tied to none. The object may be used by any thread.
   */
  Optional<ExportState> state();

  /**
   * Replaces a text of the export's {@link #state}. The portal removes the new text when this
   * connection ends, unless it was replaced before; the text stays while sessions of the connection
   * follow each other.
   *
   * @param name of the text, not null
   * @param expected the text that the caller has seen, not null
   * @param text not null
   * @return false when the text is not the expected one, or the connection is tied to no export
   */
  boolean share(String name, Optional<String> expected, String text);
}
