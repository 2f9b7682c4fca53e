package dev.holdfast.portal.internal.listen;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.transport.ListenerTls;
import dev.holdfast.portal.internal.transport.TlsTransport;
import dev.holdfast.portal.internal.transport.Transport;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS with the node's certificate, for clients that show none. Thread-safe. */
final class TlsKeys implements ListenerTls {
  private static final Logger log = LoggerFactory.getLogger(TlsKeys.class);

  private final Supplier<Optional<NodeTls>> certificates;
  private final TlsMode mode;
  private Optional<NodeTls> source = Optional.empty();
  private Optional<SSLContext> loaded = Optional.empty();

  TlsKeys(Supplier<Optional<NodeTls>> certificates, TlsMode mode) {
    this.certificates = certificates;
    this.mode = mode;
  }

  @Override
  public TlsPolicy policy() {
    return switch (mode) {
      case OFF -> TlsPolicy.OFF;
      case OFFER -> context().isPresent() ? TlsPolicy.OFFERED : TlsPolicy.OFF;
      case REQUIRE -> TlsPolicy.REQUIRED;
    };
  }

  @Override
  public Transport secure(SocketChannel channel) throws IOException {
    SSLContext tls = context().orElseThrow(() -> new IOException("the certificate is not there"));
    TlsTransport transport = new TlsTransport(channel, tls);
    transport.handshake();
    return transport;
  }

  /** Returns a context, or empty when there is no certificate; one shows replaced files itself. */
  private synchronized Optional<SSLContext> context() {
    Optional<NodeTls> present = certificates.get();
    if (mode == TlsMode.OFF || present.isEmpty()) {
      return Optional.empty();
    } else if (!present.equals(source)) {
      source = present;
      try {
        loaded = Optional.of(present.get().serverContext());
      } catch (StorageException e) {
        loaded = Optional.empty();
        log.error("TLS is not offered: {}", e.getMessage());
      }
    }
    return loaded;
  }
}
