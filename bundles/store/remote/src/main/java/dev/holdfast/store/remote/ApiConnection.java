package dev.holdfast.store.remote;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Address and credentials of an API server.
 *
 * @param server URL of the server
 * @param token the bearer token
 * @param caCertificate trusted authorities as PEM; empty for those that the JVM trusts
 */
public record ApiConnection(URI server, String token, String caCertificate) {
  /** Checks that all parts are present. */
  public ApiConnection {
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(caCertificate, "caCertificate");
  }

  /**
   * Reads the current context of a kubeconfig.
   *
   * @param file kubeconfig of a node or of kubectl: JSON or YAML
   * @throws StorageException NOT_FOUND when the file is absent; INVALID when it lacks a server or
   *     token; IO
   */
  public static ApiConnection ofKubeconfig(Path file) throws StorageException {
    return Kubeconfig.read(file);
  }

  /**
   * Returns this connection as a kubeconfig, which {@link #ofKubeconfig} and kubectl read.
   *
   * @param user name of the user entry, not null
   */
  public String toKubeconfig(String user) {
    return Kubeconfig.write(this, user);
  }

  /** Returns the server without the token. */
  @Override
  public String toString() {
    return "ApiConnection[" + server + "]";
  }
}
