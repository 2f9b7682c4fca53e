package dev.holdfast.initiator.nbd.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.QemuCredential;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A volume in the form of its NBD URI ({@code nbd://host:port/export}, {@code
 * nbd+unix:///export?socket=path}).
 *
 * @param host name or address, empty for a UNIX socket
 * @param port TCP port
 * @param socket path of a UNIX socket
 * @param export name of the export
 * @param growable size of a device that may grow, empty for the fixed size that the server reports
 * @param credential credential for the server, empty for a connection without TLS
 */
record NbdEndpoint(
    String host,
    int port,
    Optional<String> socket,
    String export,
    OptionalLong growable,
    Optional<QemuCredential> credential) {
  private static final String GROWABLE = "growable=";

  private static final int DEFAULT_PORT = 10809;

  /**
   * Time for which requests wait for an unreachable server. It equals that of iSCSI initiators and
   * exceeds any restart of a node, which takes seconds.
   */
  private static final int RECONNECT_SECONDS = 120;

  static boolean isUnderstood(URI uri) {
    return "nbd".equals(uri.getScheme()) || "nbd+unix".equals(uri.getScheme());
  }

  static NbdEndpoint parse(URI uri) throws StorageException {
    String path = Optional.ofNullable(uri.getPath()).orElse("");
    String export = path.startsWith("/") ? path.substring(1) : path;
    if ("nbd+unix".equals(uri.getScheme())) {
      return new NbdEndpoint(
          "", 0, Optional.of(socketOf(uri)), export, OptionalLong.empty(), Optional.empty());
    }
    if (!isUnderstood(uri) || uri.getHost() == null) {
      throw new StorageException(
          ErrorCode.INVALID, uri + " is not an endpoint of the form nbd://host:port/export");
    }
    String host = uri.getHost().replaceAll("^\\[|]$", "");
    int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    return new NbdEndpoint(host, port, Optional.empty(), export, growable(uri), Optional.empty());
  }

  private static OptionalLong growable(URI uri) throws StorageException {
    String query = Optional.ofNullable(uri.getQuery()).orElse("");
    if (!query.startsWith(GROWABLE)) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(query.substring(GROWABLE.length())));
    } catch (NumberFormatException e) {
      throw new StorageException(
          ErrorCode.INVALID, uri + " is not an endpoint of the form nbd://host:port/export", e);
    }
  }

  /**
   * Returns the URI of the same export for a device that can grow; the URI of a socket is
   * unchanged.
   */
  static URI growable(URI uri, long bytes) {
    return "nbd".equals(uri.getScheme()) && uri.getQuery() == null
        ? URI.create(uri + "?" + GROWABLE + bytes)
        : uri;
  }

  /** Returns the same export through a UNIX socket of this machine. */
  NbdEndpoint through(Path path) {
    return new NbdEndpoint("", 0, Optional.of(path.toString()), export, growable, Optional.empty());
  }

  /** Returns the endpoint of a device with the size that the server reports. */
  NbdEndpoint fixed() {
    return new NbdEndpoint(host, port, socket, export, OptionalLong.empty(), credential);
  }

  /** Returns the same over TLS with a credential. */
  NbdEndpoint securedBy(QemuCredential shown) {
    return new NbdEndpoint(host, port, socket, export, growable, Optional.of(shown));
  }

  private static String socketOf(URI uri) throws StorageException {
    String query = Optional.ofNullable(uri.getQuery()).orElse("");
    if (!query.startsWith("socket=")) {
      throw new StorageException(
          ErrorCode.INVALID,
          uri + " is not an endpoint of the form nbd+unix:///export?socket=path");
    }
    return query.substring("socket=".length());
  }

  /** Returns QEMU's block node for the export, which reconnects automatically. */
  ObjectNode blockNode() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("driver", "nbd");
    ObjectNode server = node.putObject("server");
    if (socket.isPresent()) {
      server.put("type", "unix").put("path", socket.get());
    } else {
      server.put("type", "inet").put("host", host).put("port", Integer.toString(port));
    }
    // The server reports the size only once. For this name it reports a size that is never reached.
    node.put("export", growable.isPresent() ? export + "?growable" : export)
        .put("reconnect-delay", RECONNECT_SECONDS)
        .put("discard", "unmap");
    return credential.isPresent() ? credential.get().with(node) : node;
  }
}
