package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolTransport;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * Ways to the exports of other nodes through TLS, which the kernel's NBD client does not speak:
 *
 * <pre>
 *   /dev/nbdN ── UNIX socket, for root only ── tunnel ══TLS══ portal of the other node
 * </pre>
 *
 * A tunnel ends with this process. The kernel then counts the connection as lost, and its requests
 * wait for the next one. Thread-safe.
 */
public final class TlsTunnels implements PoolTransport, AutoCloseable {
  private final Contexts contexts;
  private final Path folder;
  private final Map<PoolAddress, TlsTunnel> tunnels = new HashMap<>();

  /** Contexts of TLS for connections to nodes. */
  @FunctionalInterface
  public interface Contexts {
    /**
     * Returns a context that presents this node's certificate and rejects a peer whose certificate
     * has another name.
     *
     * @param node name of the peer
     * @throws StorageException INVALID when this node's certificates cannot be used; IO
     */
    SSLContext of(String node) throws StorageException;
  }

  /**
   * Creates the tunnels of a process.
   *
   * @param contexts for connections
   * @param folder for sockets, which no other process uses; its path is short, because the path of
   *     a socket has at most 107 bytes
   */
  public TlsTunnels(Contexts contexts, Path folder) {
    this.contexts = contexts;
    this.folder = folder;
  }

  @Override
  public synchronized Endpoint open(PoolAddress address) throws StorageException {
    // A later generation of an export is reached in the same way.
    PoolAddress key = new PoolAddress(address.node(), address.host(), address.port(), 1);
    TlsTunnel tunnel = tunnels.get(key);
    if (tunnel == null) {
      SSLContext unused = contexts.of(address.node());
      tunnel = listen(key);
      tunnels.put(key, tunnel);
    }
    return new Endpoint(tunnel.socket().toString(), 0);
  }

  private TlsTunnel listen(PoolAddress key) throws StorageException {
    Path socket = folder.resolve(tunnels.size() + ".sock");
    try {
      Files.createDirectories(folder);
      Path unused =
          Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      Files.deleteIfExists(socket);
      return TlsTunnel.listen(socket, key, contexts);
    } catch (IOException e) {
      throw StorageException.io(socket.toString(), e);
    }
  }

  @Override
  public synchronized void close() {
    tunnels.values().forEach(TlsTunnel::close);
    tunnels.clear();
  }
}
