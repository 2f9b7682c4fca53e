package dev.holdfast.portal.internal.listen;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import java.nio.file.Path;
import java.util.Optional;

/** The options of listeners. */
public interface ListenerSettings {

  /** Returns the address to listen at. */
  String address();

  /** Returns the address by which clients reach this node. */
  String advertisedAddress();

  /** Returns the directory of the UNIX sockets, empty when the portal has none. */
  Optional<Path> socketFolder();

  /**
   * Returns the port of a frontend, 0 for any.
   *
   * @throws StorageException INVALID when the option is wrong
   */
  int port(FrontendProvider frontend) throws StorageException;

  /**
   * Returns which clients need a credential.
   *
   * @throws StorageException INVALID when the option is wrong
   */
  AuthenticationMode authentication() throws StorageException;

  /**
   * Returns the TLS mode of a frontend.
   *
   * @throws StorageException INVALID when the value is wrong, or the frontend does not support TLS
   */
  TlsMode tls(FrontendProvider frontend) throws StorageException;

  /**
   * Returns whether a frontend admits nodes only.
   *
   * @throws StorageException INVALID when the restriction is turned off for a listener that others
   *     can reach
   */
  boolean nodesOnly(FrontendProvider frontend) throws StorageException;
}
