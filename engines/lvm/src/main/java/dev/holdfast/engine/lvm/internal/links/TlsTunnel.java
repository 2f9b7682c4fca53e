package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listener of a UNIX socket whose connections continue to one server. Thread-safe. */
final class TlsTunnel {
  private static final Logger LOG = LoggerFactory.getLogger(TlsTunnel.class);

  private final Path socket;
  private final PoolAddress address;
  private final TlsTunnels.Contexts contexts;
  private final ServerSocketChannel listener;
  private final Set<TunnelConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private TlsTunnel(
      Path socket,
      PoolAddress address,
      TlsTunnels.Contexts contexts,
      ServerSocketChannel listener) {
    this.socket = socket;
    this.address = address;
    this.contexts = contexts;
    this.listener = listener;
  }

  static TlsTunnel listen(Path socket, PoolAddress address, TlsTunnels.Contexts contexts)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    TlsTunnel tunnel = new TlsTunnel(socket, address, contexts, listener);
    listener.bind(UnixDomainSocketAddress.of(socket));
    start("holdfast-lvm-tunnel-" + address.node(), tunnel::accept);
    return tunnel;
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  Path socket() {
    return socket;
  }

  private void accept() {
    while (!closed) {
      try {
        SocketChannel client = listener.accept();
        start("holdfast-lvm-link-" + address.node(), () -> serve(client));
      } catch (IOException e) {
        if (!closed) {
          LOG.warn("tunnel to node {}: could not accept a connection", address.node(), e);
        }
        return;
      }
    }
  }

  private void serve(SocketChannel client) {
    try (client;
        TunnelConnection connection =
            TunnelConnection.open(client, address, contexts.of(address.node()))) {
      connections.add(connection);
      if (!closed) {
        Thread back = new Thread(connection::copyReplies, "holdfast-lvm-replies-" + address.node());
        back.setDaemon(true);
        back.start();
        connection.copyRequests();
      }
      connections.remove(connection);
    } catch (IOException | StorageException e) {
      LOG.warn("link to node {}: could not connect: {}", address.node(), e.getMessage());
    }
  }

  void close() {
    closed = true;
    try {
      listener.close();
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      LOG.warn("tunnel to node {}: could not close its socket", address.node(), e);
    }
    connections.forEach(TunnelConnection::close);
  }
}
