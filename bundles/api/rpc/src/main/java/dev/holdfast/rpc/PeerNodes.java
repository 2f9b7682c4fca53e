package dev.holdfast.rpc;

import dev.holdfast.error.StorageException;
import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** Addresses of the other nodes: a service of the platform. Thread-safe. */
@ProviderType
public interface PeerNodes {

  /** Returns the name of the node that this process is, never null. */
  String self();

  /**
   * Returns where a node can be reached, as it last told. May change whenever that node starts
   * again, so ask before every connection.
   *
   * @param nodeId name of the node, not null
   * @param port name of the port, as in {@code Node.status.ports}, not null
   * @return a resolved address, never null
   * @throws StorageException UNREACHABLE when there is no such node, it never told its address, or
   *     it has no such port
   */
  InetSocketAddress address(String nodeId, String port) throws StorageException;
}
