package dev.holdfast.portal.internal.listen;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.transport.ListenerTls;
import dev.holdfast.portal.internal.transport.TlsTransport;
import dev.holdfast.portal.internal.transport.Transport;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Admits only members of the cluster, and only while they are members. */
final class NodeClientTls implements ListenerTls {
  private static final Logger LOG = LoggerFactory.getLogger(NodeClientTls.class);

  private final Supplier<Optional<NodeTls>> certificates;
  private final Map<SocketChannel, Certificate[]> admitted = new ConcurrentHashMap<>();

  NodeClientTls(Supplier<Optional<NodeTls>> certificates) {
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
      Certificate[] chain = transport.peerCertificates();
      // Recorded before the check, so that either the check or {@link #check} sees a removal in
      // between.
      admitted.put(channel, chain);
      String unused = tls.peerName(chain);
      return transport;
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Ends connections of nodes that were removed; called every half second. */
  @Override
  public void check(int tick) {
    Optional<NodeTls> tls = certificates.get();
    admitted.keySet().removeIf(channel -> !channel.isOpen());
    if (tls.isPresent()) {
      admitted.forEach((channel, chain) -> check(tls.get(), channel, chain));
    }
  }

  private static void check(NodeTls tls, SocketChannel channel, Certificate[] chain) {
    try {
      String unused = tls.peerName(chain);
    } catch (StorageException e) {
      LOG.warn("ended a connection: {}", e.getMessage());
      try {
        channel.close();
      } catch (IOException failed) {
        LOG.debug("closing {} failed", channel, failed);
      }
    }
  }
}
