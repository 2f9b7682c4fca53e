package dev.holdfast.engine.lvm.blobs.links;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** Way to the exports of other nodes. Thread-safe. */
@FunctionalInterface
@ConsumerType
public interface PoolTransport {
  /** Connects to the address itself, without encryption. */
  PoolTransport DIRECT = address -> new Endpoint(address.host(), address.port());

  /**
   * Address to which a client on this host connects.
   *
   * @param host name or IP address, or the absolute path of a UNIX socket
   * @param port TCP port; 0 for a UNIX socket
   */
  record Endpoint(String host, int port) {}

  /**
   * Returns where a client on this host reaches an export. It accepts connections until this
   * transport is closed, whether or not the export answers at this moment.
   *
   * @param address of the export
   * @throws StorageException INVALID when this node's certificates cannot be used; IO
   */
  Endpoint open(PoolAddress address) throws StorageException;
}
