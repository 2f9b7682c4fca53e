package dev.holdfast.portal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.TlsPolicy;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.function.Supplier;

/** Lets nodes of the cluster in and nobody else. */
final class NodesOnlyTls implements ListenerTls {
  private final Supplier<Optional<NodeTls>> certificates;

  NodesOnlyTls(Supplier<Optional<NodeTls>> certificates) {
    this.certificates = certificates;
  }

  @Override
  public TlsPolicy policy() {
    return TlsPolicy.REQUIRED;
  }

  @Override
  public Transport secure(SocketChannel channel) throws IOException {
    NodeTls tls =
        certificates.get().orElseThrow(() -> new IOException("the certificates are not there"));
    try {
      TlsTransport transport = TlsTransport.withClientCertificate(channel, tls.peerContext());
      transport.handshake();
      String unused = tls.peerName(transport.peerCertificates());
      return transport;
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
