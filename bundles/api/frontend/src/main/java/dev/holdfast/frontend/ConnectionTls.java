package dev.holdfast.frontend;

import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The TLS side of a client's connection. The rules of {@link FrontendConnection} for threads and
 * for the end of the session apply.
 *
 * @since 2.0
 */
@ProviderType
public interface ConnectionTls {

  /** Returns whether the client may, must or cannot change to TLS, never null. */
  TlsPolicy tls();

  /** Returns whether the connection is encrypted already. */
  boolean secured();

  /**
   * Returns the identity of the key that the client proved to have before the session began, where
   * the frontend is a {@link PresharedKeyFrontend} and the client began with TLS; else empty.
   */
  Optional<String> provenIdentity();

  /**
   * Returns whether the client proved an identity: by its certificate, or {@link
   * ConnectionExport#identify} was called.
   *
   * @since 2.2
   */
  default boolean identified() {
    return false;
  }

  /**
   * Changes to TLS as soon as the current call has returned: replies sent before are not encrypted,
   * everything after is. The client must wait for the reply; input that it sent already closes the
   * connection.
   *
   * @throws IllegalStateException when TLS is off or the connection is secured already
   */
  void startTls();
}
