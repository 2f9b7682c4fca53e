package dev.holdfast.portal.internal.listen;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.transport.ListenerTls;
import dev.holdfast.portal.internal.transport.TlsTransport;
import dev.holdfast.portal.internal.transport.Transport;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with the node's certificate. A client may present a certificate, which proves its identity:
 * one from the directory of clients, or that of a node of the cluster. Thread-safe.
 */
final class TlsKeys implements ListenerTls {
  private static final Logger log = LoggerFactory.getLogger(TlsKeys.class);

  private final Supplier<Optional<NodeTls>> certificates;
  private final Supplier<Optional<ClientDirectory>> clients;
  private final TlsMode mode;
  private Optional<NodeTls> source = Optional.empty();
  private Optional<SSLContext> loaded = Optional.empty();

  TlsKeys(PortalContext context, TlsMode mode) {
    this.certificates = context.certificates();
    this.clients = context.clients();
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
    TlsTransport transport = TlsTransport.withOptionalCertificate(channel, tls);
    transport.handshake();
    return transport;
  }

  @Override
  public Optional<ClientIdentity> identity(Transport secured) throws IOException {
    if (!(secured instanceof TlsTransport transport)) {
      return Optional.empty();
    }
    Certificate[] chain;
    try {
      chain = transport.peerCertificates();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
    ClientIdentity client = ClientTrust.identity(chain[0]);
    if (clients.get().flatMap(known -> known.rights(client)).isPresent()) {
      return Optional.of(client);
    }
    try {
      NodeTls tls =
          certificates.get().orElseThrow(() -> new IOException("the certificate is not there"));
      return Optional.of(new ClientIdentity(ClientIdentity.Type.MEMBER, tls.peerName(chain)));
    } catch (StorageException e) {
      throw new SSLException(e.getMessage(), e);
    }
  }

  /**
   * Returns a context, empty without a certificate. A context reads replaced certificate files
   * itself.
   */
  private synchronized Optional<SSLContext> context() {
    Optional<NodeTls> present = certificates.get();
    if (mode == TlsMode.OFF || present.isEmpty()) {
      return Optional.empty();
    } else if (!present.equals(source)) {
      source = present;
      try {
        loaded = Optional.of(ClientTrust.context(present.get(), clients));
      } catch (StorageException | GeneralSecurityException e) {
        loaded = Optional.empty();
        log.error("TLS is not offered: {}", e.getMessage());
      }
    }
    return loaded;
  }
}
