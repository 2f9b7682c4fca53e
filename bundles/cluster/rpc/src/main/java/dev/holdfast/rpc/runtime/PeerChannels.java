package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.NodeRpcServer;
import dev.holdfast.rpc.PeerNodes;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;

/** One channel per node, with the nodes' known addresses. Thread-safe. */
public final class PeerChannels implements NodeChannels, AutoCloseable {
  private final PeerNodes nodes;
  private final NodeTls tls;
  private final Map<String, NodeChannel> channels = new ConcurrentHashMap<>();

  /**
   * Starts without connections.
   *
   * @param nodes addresses of nodes
   * @param tls certificates of this node and the others
   */
  public PeerChannels(PeerNodes nodes, NodeTls tls) {
    this.nodes = nodes;
    this.tls = tls;
  }

  @Override
  public Channel channel(String node) {
    return channels.computeIfAbsent(node, name -> new NodeChannel(name, () -> address(name), tls));
  }

  @Override
  public InetSocketAddress address(String node) throws StorageException {
    return nodes.address(node, NodeRpcServer.PORT);
  }

  @Override
  public SSLContext sslContext(String node) throws StorageException {
    return NodeSsl.context(tls, node);
  }

  @Override
  public void close() {
    channels.values().forEach(NodeChannel::shutdown);
  }
}
