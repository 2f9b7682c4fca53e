package dev.holdfast.portal.internal.transport;

import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.TlsPolicy;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** TLS of a listener. Thread-safe. */
public interface ListenerTls extends Watchdog.Watched {

  /** Returns whether clients may, must or cannot change to TLS now. */
  TlsPolicy policy();

  /** Returns the acceptor for clients that may begin with TLS; empty where they may not. */
  default Optional<PskAcceptor> door(FrontendProvider frontend) {
    return Optional.empty();
  }

  /**
   * Performs the handshake of a client that requested TLS.
   *
   * @throws IOException when it fails, or the client is not admitted
   */
  Transport secure(SocketChannel channel) throws IOException;

  /**
   * Returns the identity that a client proved in the handshake; empty when it presented no
   * certificate.
   *
   * @throws IOException when its certificate expired
   */
  default Optional<ClientIdentity> identity(Transport secured) throws IOException {
    return Optional.empty();
  }

  /** Ends connections of clients that lost their admission. Called every half second. */
  @Override
  default void check(int tick) {}
}
