package dev.holdfast.rpc;

import dev.holdfast.error.StorageException;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.osgi.annotation.versioning.ProviderType;

/** Ways to the other nodes. Thread-safe. */
@ProviderType
public interface NodeChannels {

  /**
   * Returns the channel to a node. It connects when it is used, connects again after a failure, and
   * follows the node to another address. {@link RpcErrors} gives UNREACHABLE for calls that fail
   * because the node cannot be reached, because the connection closes while they begin, or because
   * another node answers at its address. The caller must not shut it down.
   *
   * @param node its name, not null
   * @return the channel, never null
   */
  Channel channel(String node);

  /**
   * Returns where the node answers now.
   *
   * @param node its name, not null
   * @throws StorageException UNREACHABLE when that is not known
   */
  InetSocketAddress address(String node) throws StorageException;

  /**
   * Returns a context for a connection of another kind: it presents this node's certificate and
   * rejects a peer whose certificate has another name.
   *
   * @param node its name, not null
   * @throws StorageException INVALID when this node's certificates cannot be used; IO
   */
  SSLContext sslContext(String node) throws StorageException;
}
