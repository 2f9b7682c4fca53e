package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose clients may start a connection with TLS 1.3 and a pre-shared key instead of a
 * certificate. In its protocol the client must speak first, and its first message must not start
 * with the byte 0x16, by which the portal recognizes TLS. The property {@code holdfast.<name>.tls}
 * ({@code off}, {@code offer}, {@code require}) sets whether TLS is permitted or required.
 *
 * <p>The portal performs the handshake, TLS 1.3 with an ephemeral exchange ({@code psk_dhe_ke})
 * only, before it opens a session. {@link ConnectionTls#provenIdentity()} then returns the identity
 * of the key; the session must verify that its client claims this identity.
 *
 * @since 1.4
 */
@ConsumerType
public interface PresharedKeyFrontend extends FrontendProvider {

  /**
   * Returns whether keys are configured. Without keys, TLS is not offered, and if TLS is required,
   * exports cannot be published. May be called by any thread, often.
   */
  boolean keyed();

  /**
   * Finds the key of a client. Called during a handshake, on the connection's thread, once or more
   * for each identity that the client offers; may read a file, must not wait for other nodes.
   *
   * @param identity as the client sent it, decoded as UTF-8, of any form and length, not null
   * @return its key, or empty if it has none; the client is then rejected unless it offers another
   *     identity
   * @throws StorageException when the keys cannot be read; the client is then rejected, and the
   *     message is logged
   */
  Optional<PresharedKey> presharedKey(String identity) throws StorageException;
}
