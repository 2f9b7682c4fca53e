package dev.holdfast.frontend;

import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * TLS of a client's connection. The rules of {@link FrontendConnection} for threads and for the end
 * of the session apply.
 *
 * @since 2.0
 */
@ProviderType
public interface ConnectionTls {

  /** Returns whether the client may, must or cannot change to TLS, never null. */
  TlsPolicy tls();

  /** Returns whether the connection is already encrypted. */
  boolean secured();

  /**
   * Returns the identity of the pre-shared key that the client used for TLS before the session;
   * empty if the frontend is not a {@link PresharedKeyFrontend} or the client did not start with
   * TLS.
   */
  Optional<String> provenIdentity();

  /**
   * Returns whether the client proved an identity: by its certificate or by a call of {@link
   * ConnectionExport#identify}.
   *
   * @since 2.2
   */
  default boolean identified() {
    return false;
  }

  /**
   * Switches to TLS after the current call has returned. Earlier replies are sent unencrypted,
   * later data is encrypted. The client must wait for the reply; input that it has already sent
   * closes the connection.
   *
   * @throws IllegalStateException when TLS is off or the connection is secured already
   */
  void startTls();
}
