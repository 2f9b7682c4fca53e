package dev.holdfast.rpc;

import dev.holdfast.error.StorageException;
import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** Addresses of the other nodes. A service of the platform. Thread-safe. */
@ProviderType
public interface PeerNodes {

  /** Returns the name of this node, never null. */
  String self();

  /**
   * Returns the last reported address of a node. The address may change at each start of that node,
   * so call this method before every connection.
   *
   * @param nodeId name of the node, not null
   * @param port name of the port, as in {@code Node.status.ports}, not null
   * @return a resolved address, never null
   * @throws StorageException UNREACHABLE when the node is unknown, never reported its address, or
   *     lacks the port
   */
  InetSocketAddress address(String nodeId, String port) throws StorageException;
}
