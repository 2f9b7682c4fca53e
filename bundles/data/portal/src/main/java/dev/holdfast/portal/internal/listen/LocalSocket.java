package dev.holdfast.portal.internal.listen;

import dev.holdfast.frontend.FrontendProvider;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The UNIX socket of a frontend. Only the account of the node and root can connect: the directory
 * has mode 0700 before the socket is bound, and the socket has mode 0600.
 *
 * <p>Beside {@code NAME.sock}, the file {@code NAME.address} contains host and port of the TCP
 * listener, so that programs on this machine find the socket of an endpoint.
 */
final class LocalSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSocket.class);
  private static final int BACKLOG = 128;

  private final Path path;
  private final ServerSocketChannel server;

  private LocalSocket(Path path, ServerSocketChannel server) {
    this.path = path;
    this.server = server;
  }

  /**
   * Opens the socket of a frontend that uses one. If that fails, for example because the path is
   * too long for the kernel, local clients use TCP like others.
   *
   * @param port port of the TCP listener
   */
  static Optional<LocalSocket> open(
      FrontendProvider frontend, ListenerSettings settings, int port) {
    Optional<Path> folder = settings.socketFolder();
    if (!frontend.hasLocalSocket() || folder.isEmpty()) {
      return Optional.empty();
    }
    Path path = folder.get().resolve(frontend.name() + ".sock");
    URI endpoint = frontend.endpoint(settings.advertisedAddress(), port, "any");
    try {
      prepare(folder.get());
      Files.deleteIfExists(path);
      LocalSocket opened = bound(path);
      Path address = Files.createTempFile(folder.get(), frontend.name(), ".new");
      Files.write(address, endpoint.getRawAuthority().getBytes(StandardCharsets.UTF_8));
      Path unused = Files.move(address, address(path), StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(opened);
    } catch (IOException | RuntimeException e) {
      LOG.warn("frontend {}: could not listen on {}: {}", frontend.name(), path, e.getMessage());
      return Optional.empty();
    }
  }

  private static void prepare(Path folder) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
  }

  private static LocalSocket bound(Path path) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      return new LocalSocket(path, server);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static Path address(Path socket) {
    String name = socket.getFileName().toString();
    return socket.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ".address");
  }

  ServerSocketChannel server() {
    return server;
  }

  Path path() {
    return path;
  }

  /** Removes the files; the owner of the accept loop closes the socket itself. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(address(path));
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.debug("could not remove {}", path, e);
    }
  }
}
