package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Target of an endpoint: {@code iscsi://host:port/target/unit}, {@code nvme://host:port/subsystem}.
 *
 * @param endpoint the original endpoint
 * @param host name or address, without brackets
 * @param port TCP port
 * @param name of the target or the subsystem
 * @param unit logical unit or namespace
 */
record Target(URI endpoint, String host, int port, String name, int unit) {
  private static final String OWNER = ".dev.holdfast:";
  private static final int PATIENCE_MILLIS = 10_000;

  /**
   * Pattern of names that both standards permit, without characters that are special for shells or
   * files.
   */
  private static final String NAME = "[-.:a-zA-Z0-9]{1,223}";

  /** Parses an endpoint with a target and a logical unit. */
  static Target withUnit(URI endpoint, int defaultPort) throws StorageException {
    String path = path(endpoint);
    int slash = path.lastIndexOf('/');
    String unit = path.substring(slash + 1);
    if (slash < 1 || !unit.matches("[0-9]{1,4}")) {
      throw malformed(endpoint);
    }
    return of(endpoint, defaultPort, path.substring(0, slash), Integer.parseInt(unit));
  }

  /** Parses an endpoint with a subsystem. */
  static Target of(URI endpoint, int defaultPort, int namespace) throws StorageException {
    return of(endpoint, defaultPort, path(endpoint), namespace);
  }

  private static Target of(URI endpoint, int defaultPort, String name, int unit)
      throws StorageException {
    if (endpoint.getHost() == null || !name.matches(NAME)) {
      throw malformed(endpoint);
    }
    String host = endpoint.getHost().replaceAll("^\\[|]$", "");
    int port = endpoint.getPort() < 0 ? defaultPort : endpoint.getPort();
    return new Target(endpoint, host, port, name, unit);
  }

  private static String path(URI endpoint) {
    return Optional.ofNullable(endpoint.getPath()).orElse("").replaceFirst("^/", "");
  }

  private static StorageException malformed(URI endpoint) {
    return new StorageException(
        ErrorCode.INVALID, endpoint + " is not an endpoint of a target: its form is wrong");
  }

  /** Returns the volume of a name from our frontends; empty for other targets. */
  Optional<String> volume() {
    int prefix = name.indexOf(OWNER);
    return prefix < 0 ? Optional.empty() : Optional.of(name.substring(prefix + OWNER.length()));
  }

  /** Returns {@code host:port} for programs. */
  String portal() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Returns the host's address. */
  String address() throws StorageException {
    try {
      return InetAddress.getByName(host).getHostAddress();
    } catch (UnknownHostException e) {
      throw unreachable(e);
    }
  }

  /**
   * Checks that a server listens at the address, because the kernel's own attempts take minutes to
   * fail with a less precise error.
   *
   * @throws StorageException UNREACHABLE
   */
  void requireListening() throws StorageException {
    try (Socket probe = new Socket()) {
      probe.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  private StorageException unreachable(IOException cause) {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "no server answers at " + endpoint + ": " + cause.getMessage(),
        cause);
  }
}
