package dev.holdfast.rpc;

import dev.holdfast.error.StorageException;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.osgi.annotation.versioning.ProviderType;

/** Connections to the other nodes. Thread-safe. */
@ProviderType
public interface NodeChannels {

  /**
   * Returns the channel to a node. The channel connects at its first use, reconnects after a
   * failure, and follows the node to a new address. {@link RpcErrors} reports UNREACHABLE for calls
   * that fail because the node is unreachable, the connection closes during their start, or another
   * node answers at the address. The caller must not shut it down.
   *
   * @param node name of the node, not null
   * @return the channel, never null
   */
  Channel channel(String node);

  /**
   * Returns the node's present address.
   *
   * @param node name of the node, not null
   * @throws StorageException UNREACHABLE when the address is unknown
   */
  InetSocketAddress address(String node) throws StorageException;

  /**
   * Returns a TLS context for other connections to the node. The context presents this node's
   * certificate and rejects a peer whose certificate has another name.
   *
   * @param node name of the node, not null
   * @throws StorageException INVALID when this node's certificates are unusable; IO
   */
  SSLContext sslContext(String node) throws StorageException;
}
