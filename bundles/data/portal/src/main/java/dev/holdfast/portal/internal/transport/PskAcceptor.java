package dev.holdfast.portal.internal.transport;

import dev.holdfast.frontend.PresharedKeyFrontend;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts a client; its first byte shows whether it begins with TLS with a pre-shared key.
 *
 * @param keys the frontend that supplies the keys
 * @param required whether clients without TLS are rejected
 */
public record PskAcceptor(PresharedKeyFrontend keys, boolean required) {
  private static final Logger log = LoggerFactory.getLogger(PskAcceptor.class);

  /** Type of a TLS record that contains handshake messages. */
  private static final byte HANDSHAKE = 0x16;

  /**
   * Admits a client, or logs why it was rejected.
   *
   * @param first the client's first byte
   * @return the transport if the client begins with TLS; empty when it continues unencrypted
   * @throws IOException when the client is rejected
   */
  public Optional<PresharedKeyTransport> enter(SocketChannel channel, byte first)
      throws IOException {
    if (first != HANDSHAKE) {
      if (required) {
        log.warn("{}: {} begins without TLS, which is required", keys.name(), peer(channel));
        throw new IOException("TLS is required");
      }
      return Optional.empty();
    }
    PresharedKeyTransport encrypted = new PresharedKeyTransport(channel, keys);
    try {
      encrypted.handshake(new byte[] {first});
      return Optional.of(encrypted);
    } catch (IOException e) {
      if (channel.isOpen()) { // Otherwise this node ended the connection and has logged that.
        log.warn("{}: no TLS with {}: {}", keys.name(), peer(channel), e.getMessage());
      }
      throw e;
    }
  }

  private static String peer(SocketChannel channel) {
    return String.valueOf(channel.socket().getRemoteSocketAddress());
  }
}
