package dev.holdfast.rpc.runtime.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.runtime.PeerChannels;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Provides the channels once the nodes' addresses are available. */
@Component(service = NodeChannels.class)
public final class NodeChannelsComponent implements NodeChannels {
  private final PeerChannels channels;

  /** Starts without connections. */
  @Activate
  public NodeChannelsComponent(@Reference PeerNodes nodes, @Reference NodeTls tls) {
    this.channels = new PeerChannels(nodes, tls);
  }

  @Override
  public Channel channel(String node) {
    return channels.channel(node);
  }

  @Override
  public InetSocketAddress address(String node) throws StorageException {
    return channels.address(node);
  }

  @Override
  public SSLContext sslContext(String node) throws StorageException {
    return channels.sslContext(node);
  }

  /** Closes all connections. */
  @Deactivate
  public void stop() {
    channels.close();
  }
}
