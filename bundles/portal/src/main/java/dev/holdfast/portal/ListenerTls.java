package dev.holdfast.portal;

import dev.holdfast.frontend.TlsPolicy;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** What a listener does about TLS. Thread-safe. */
interface ListenerTls {

  /** Returns whether clients may, must or cannot change to TLS now. */
  TlsPolicy policy();

  /**
   * Does the handshake of a client that asked for TLS.
   *
   * @throws IOException when it fails, or the client is not one that may come in
   */
  Transport secure(SocketChannel channel) throws IOException;
}
