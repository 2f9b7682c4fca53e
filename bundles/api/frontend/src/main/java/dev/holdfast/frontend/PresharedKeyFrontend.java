package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose clients may begin a connection with TLS 1.3 by a key that they share with it,
 * instead of a certificate. The client speaks first in its protocol, and its first message does not
 * begin with the byte 0x16, by which the portal tells TLS from it. The property {@code
 * holdfast.<name>.tls} ({@code off}, {@code offer}, {@code require}) says whether clients may or
 * must.
 *
 * <p>The portal does the handshake, TLS 1.3 with an ephemeral exchange ({@code psk_dhe_ke}) only,
 * before it opens a session. {@link ConnectionTls#provenIdentity()} says then by which key; the
 * session has to make sure that its client claims this identity.
 *
 * @since 1.4
 */
@ConsumerType
public interface PresharedKeyFrontend extends FrontendProvider {

  /**
   * Returns whether keys are set up. If not, TLS is not offered, and where it is required nothing
   * can be published. May be called by any thread, often.
   */
  boolean keyed();

  /**
   * Looks up the key of a client. Called during a handshake, on the connection's thread, once or
   * more for each identity that the client offers; may read a file, must not wait for other
   * parties.
   *
   * @param identity as the client sent it, decoded as UTF-8, of any form and length, not null
   * @return its key, or empty when there is none: the client is refused unless it has another
   * @throws StorageException when the keys cannot be read; the client is refused, and the message
   *     is in the log
   */
  Optional<PresharedKey> presharedKey(String identity) throws StorageException;
}
