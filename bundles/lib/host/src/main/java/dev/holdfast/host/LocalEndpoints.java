package dev.holdfast.host;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The UNIX sockets by which the nodes of this machine serve their volumes to the node's own
 * account. A node lists host and port of its listener in {@code run/nbd.address} below its data
 * directory, and serves the same exports at {@code run/nbd.sock}. Thread-safe.
 */
public final class LocalEndpoints {
  private static final String SCHEME = "nbd";

  private final Path data;

  /**
   * Searches the sockets of a data directory and of the further nodes below it.
   *
   * @param data state directory of a node, not null
   */
  public LocalEndpoints(Path data) {
    this.data = data.toAbsolutePath().normalize();
  }

  /**
   * Searches the sockets of the data directory that contains a folder.
   *
   * @param folder directly below the data directory of a node, not null
   */
  public static LocalEndpoints besides(Path folder) {
    Path absolute = folder.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    return new LocalEndpoints(parent == null ? absolute : parent);
  }

  /**
   * Returns the URI by which this machine should connect to an export.
   *
   * @param endpoint endpoint in the volume's status, not null
   * @return {@code nbd+unix:///EXPORT?socket=PATH} if a node of this machine serves it and this
   *     account may use its socket, else the endpoint itself; never null
   */
  public URI of(URI endpoint) {
    return socket(endpoint).map(path -> through(endpoint, path)).orElse(endpoint);
  }

  private static URI through(URI endpoint, Path socket) {
    try {
      String query = "socket=" + socket;
      String rest = new URI(null, null, endpoint.getPath(), query, null).toString();
      return URI.create(SCHEME + "+unix://" + rest.replace("&", "%26").replace("+", "%2B"));
    } catch (URISyntaxException e) {
      return endpoint;
    }
  }

  /**
   * Returns the socket at which a node of this machine serves an NBD endpoint.
   *
   * @param endpoint endpoint in the volume's status, not null
   * @return empty if no node of this machine serves it, or this account may not use the socket
   */
  public Optional<Path> socket(URI endpoint) {
    return listed(endpoint).filter(Files::isWritable);
  }

  /** Returns the socket of the node that lists the endpoint; it can be absent. */
  private Optional<Path> listed(URI endpoint) {
    if (!SCHEME.equals(endpoint.getScheme()) || endpoint.getRawAuthority() == null) {
      return Optional.empty();
    }
    for (Path directory : directories()) {
      Path run = directory.resolve("run");
      if (serves(run.resolve(SCHEME + ".address"), endpoint)) {
        return Optional.of(run.resolve(SCHEME + ".sock"));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the socket at which a node of this machine serves an NBD endpoint, after a server
   * accepts connections there. The files of a killed container remain until the next one listens,
   * so the socket alone does not show that a server is present.
   *
   * @param endpoint endpoint in the volume's status, not null
   * @param patience maximum time to wait for a node that lists the endpoint, not null
   * @return empty if no node of this machine serves it, or this account may not use the socket; the
   *     socket also if no server accepted connections in time
   * @throws StorageException TIMEOUT when interrupted
   */
  public Optional<Path> awaitSocket(URI endpoint, Duration patience) throws StorageException {
    boolean unused = HostCondition.holds(patience, () -> !isStarting(endpoint));
    return socket(endpoint);
  }

  /** Returns whether a node lists the endpoint but does not accept connections at its socket. */
  private boolean isStarting(URI endpoint) {
    Optional<Path> socket = listed(endpoint);
    if (socket.isEmpty() || isForeign(socket.get())) {
      return false;
    }
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket.get()))) {
      return !channel.isConnected();
    } catch (IOException e) {
      return true;
    }
  }

  private static boolean isForeign(Path socket) {
    return Files.exists(socket) && !Files.isWritable(socket);
  }

  private static boolean serves(Path address, URI endpoint) {
    try {
      return Files.readString(address).strip().equals(endpoint.getRawAuthority());
    } catch (IOException e) {
      return false;
    }
  }

  /** Several nodes of a machine are below the data directory of the first one. */
  private List<Path> directories() {
    List<Path> found = new ArrayList<>(List.of(data));
    Path parent = data.getParent();
    Path first = parent != null && parent.endsWith("nodes") ? parent.getParent() : null;
    if (first != null) {
      found.add(first);
    }
    try (DirectoryStream<Path> further =
        Files.newDirectoryStream((first == null ? data : first).resolve("nodes"))) {
      further.forEach(found::add);
    } catch (IOException e) {
      // This machine has only one node.
    }
    return found;
  }
}
