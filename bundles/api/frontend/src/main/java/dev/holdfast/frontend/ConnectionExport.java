package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Access of a client's connection to exports: the exports that the client may select, and the
 * export to which the connection is bound. The rules of {@link FrontendConnection} for threads and
 * for the end of the session apply.
 *
 * @since 2.0
 */
@ProviderType
public interface ConnectionExport {

  /** Returns the exports of this connection's frontend that the client may use, never null. */
  ExportCatalogue exports();

  /**
   * Returns whether the client must prove an identity to use an export. False for the UNIX socket,
   * for an open export, and if the node's setting admits the client without an identity. The result
   * does not depend on whether the client has already proven an identity.
   *
   * @param export name, not null; empty to check whether any export needs an identity
   * @since 2.2
   */
  default boolean needsIdentity(String export) {
    return false;
  }

  /**
   * Returns the secret that an initiator must prove. May wait some seconds for the initiator's
   * node.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @param export name of the requested export, empty in a discovery session, not null
   * @return the secret, empty if the cluster has none for the initiator
   * @throws StorageException when the secret exists and cannot be read, or its node does not answer
   * @since 2.2
   */
  default Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return Optional.empty();
  }

  /**
   * Sets the identity that the client has proved, or will prove before the session serves a
   * request. From now on {@link #exports} contains only the exports of this identity. The identity
   * remains when another session resumes the connection.
   *
   * @param identity the client's identity, not null
   * @since 2.2
   */
  default void identify(ClientIdentity identity) {}

  /**
   * Records that the client failed to prove an identity.
   *
   * @param initiator the claimed name, not null
   * @param message one sentence, not null
   * @since 2.2
   */
  default void refused(String initiator, String message) {}

  /**
   * Returns whether the client may only read an export. The device of {@link #attach} then rejects
   * all other requests.
   *
   * @param export name, not null
   * @since 2.2
   */
  default boolean readOnly(String export) {
    return false;
  }

  /**
   * Binds this connection to an export. The withdrawal of the export then ends the connection. Also
   * ends the handshake and its time limit. A connection is bound to at most one export.
   *
   * @param export name, not null
   * @return its device; empty if the export does not exist or the client may not use it
   */
  Optional<BlockDevice> attach(String export);

  /**
   * Returns the device of this connection's export, or empty if the connection is not bound. A
   * resuming session gets its device from this method.
   */
  Optional<BlockDevice> attached();

  /**
   * Returns the state that all connections of this export share, or empty if the connection is not
   * bound. The object may be used by any thread.
   */
  Optional<ExportState> state();

  /**
   * Replaces a text of the export's {@link #state}. The portal removes the new text when this
   * connection ends, unless it was already replaced; the text remains when another session resumes
   * the connection.
   *
   * @param name of the text, not null
   * @param expected the text that the caller last read, not null
   * @param text the new text, not null
   * @return false when the text is not the expected one, or the connection is not bound to an
   *     export
   */
  boolean share(String name, Optional<String> expected, String text);
}
