package dev.holdfast.store.remote;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Files that make a data directory that of a member: its key and certificate in {@code tls/}, and
 * {@code cluster/kubeconfig}, with which its container reaches the store. The kubeconfig is written
 * last: a directory without it has not joined, and joining again continues where the last attempt
 * ended.
 */
public final class MemberDirectory {
  private static final int DEFAULT_PORT = 7443;

  private static final int MOST_REPORTS = 3;

  private final Path data;

  /** Client of the latest connection, kept because each one has threads; null before the first. */
  private volatile Client client;

  private record Client(ApiConnection connection, RemoteCluster cluster) {}

  /**
   * Creates access to a data directory.
   *
   * @param data the node's state directory, absolute; it need not exist
   */
  public MemberDirectory(Path data) {
    this.data = data;
  }

  private Path tls() {
    return data.resolve("tls");
  }

  private Path kubeconfig() {
    return data.resolve("cluster").resolve("kubeconfig");
  }

  /**
   * Joins the cluster behind an API; returns that API's URL.
   *
   * @param server ADDRESS or ADDRESS:PORT of the API
   * @param token output of 'holdfast node token'
   * @param node the name of this node
   * @param addresses addresses and host names of this node for other nodes; may be empty
   * @throws StorageException INVALID for an unreadable address or token, ALREADY_EXISTS for a
   *     directory that belongs to a cluster or has its own store, or a failure of the server
   */
  public URI join(String server, String token, String node, List<String> addresses)
      throws StorageException {
    URI url = url(server);
    if (Files.exists(kubeconfig())) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          data + " belongs to a cluster already, that of " + connection().server());
    } else if (Files.exists(data.resolve("store"))) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          data + " has a store of its own: a node joins with an empty data directory");
    }
    JoinToken given = JoinToken.parse(token);
    String request = TlsDirectory.request(tls(), node, TlsDirectory.names(node, addresses));
    JoinAnswer answer = RemoteCluster.join(url, given, request);
    TlsDirectory.accept(tls(), answer.caCertificate(), answer.certificate());
    ApiConnection connection = new ApiConnection(url, answer.credential(), answer.caCertificate());
    write(node, connection);
    return url;
  }

  private void write(String node, ApiConnection connection) throws StorageException {
    try {
      PrivateFiles.createDirectory(kubeconfig().getParent());
      PrivateFiles.write(
          kubeconfig(), connection.toKubeconfig(node).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw StorageException.io("write " + kubeconfig(), e);
    }
  }

  /**
   * Gets a new certificate for the existing key of the node. A running container adopts the
   * certificate.
   *
   * @param node the name of this node
   * @param addresses addresses and host names of this node for other nodes; empty for those of the
   *     present certificate
   * @return URL of the cluster's API that signed it; empty when the authority is in this directory
   * @throws StorageException NOT_FOUND if the directory has neither joined a cluster nor its own
   *     authority, or a failure of the server
   */
  public Optional<URI> renew(String node, List<String> addresses) throws StorageException {
    List<String> names =
        addresses.isEmpty() && Files.exists(tls().resolve("server.crt"))
            ? TlsDirectory.presentNames(tls())
            : TlsDirectory.names(node, addresses);
    if (!Files.exists(kubeconfig()) && TlsDirectory.hasAuthority(tls())) {
      TlsDirectory.renew(tls(), node, names, Clock.systemUTC());
      return Optional.empty();
    }
    ApiConnection connection = connection();
    String request = TlsDirectory.request(tls(), node, names);
    String certificate = new RemoteCluster(connection).renew(request);
    TlsDirectory.accept(tls(), connection.caCertificate(), certificate);
    return Optional.of(connection.server());
  }

  /**
   * Gets a new certificate with the names of the present one, if that expires within ten days.
   *
   * @param node the name of this node
   * @param clock clock of the present time
   * @return whether a new certificate was stored
   * @throws StorageException as {@link #renew}
   */
  public boolean renewIfDue(String node, Clock clock) throws StorageException {
    if (!TlsDirectory.isDue(tls(), clock)) {
      return false;
    }
    Optional<URI> unused = renew(node, List.of());
    return true;
  }

  /**
   * Reports which authorities this node uses, and follows those of the cluster: trusts them, and
   * gets a certificate of the one that signs. Running containers take the files up.
   *
   * @param node the name of this node
   * @return whether files changed
   * @throws StorageException as {@link #renew}
   */
  public boolean followAuthority(String node) throws StorageException {
    boolean changed = false;
    // The second report tells the cluster at once that this node follows.
    for (int report = 0; report < MOST_REPORTS && follow(node); report++) {
      changed = true;
    }
    return changed;
  }

  private boolean follow(String node) throws StorageException {
    ApiConnection connection = connection();
    TrustReport report = TlsDirectory.report(tls(), connection.caCertificate());
    if (report.trusted().isEmpty()) {
      return false; // The owner had the API trusted by other means.
    }
    RemoteCluster cluster = cluster(connection);
    String authorities;
    try {
      authorities = cluster.report(report);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN || e.code() == ErrorCode.NOT_FOUND) {
        return false; // A server without rotations.
      }
      throw e;
    }
    List<String> known = TlsDirectory.fingerprints(authorities);
    boolean trusts = Set.copyOf(report.trusted()).equals(Set.copyOf(known));
    boolean renewed = report.issuer().equals(known.get(0));
    if (!trusts) {
      trust(node, connection, authorities);
    }
    if (!renewed) {
      String request = TlsDirectory.request(tls(), node, TlsDirectory.presentNames(tls()));
      TlsDirectory.accept(tls(), authorities, cluster.renew(request));
    }
    return !trusts || !renewed;
  }

  /** Trusts in the kubeconfig too: a report names only what both files have. */
  private void trust(String node, ApiConnection connection, String authorities)
      throws StorageException {
    TlsDirectory.trust(tls(), authorities);
    write(node, new ApiConnection(connection.server(), connection.token(), authorities));
  }

  private RemoteCluster cluster(ApiConnection connection) throws StorageException {
    Client present = client;
    if (present == null || !present.connection().equals(connection)) {
      present = new Client(connection, new RemoteCluster(connection));
      client = present;
    }
    return present.cluster();
  }

  /**
   * Returns the file with the authorities that clients of the cluster's API trust on this node. It
   * changes while the authority is rotated.
   *
   * @return empty where the owner had the API trusted by other means
   * @throws StorageException as {@link #renew}
   */
  public Optional<Path> authorities() throws StorageException {
    Path file = tls().resolve("ca.crt");
    String trusted = connection().caCertificate();
    return !trusted.isBlank()
            && Files.exists(tls().resolve("server.crt"))
            && !TlsDirectory.report(tls(), trusted).trusted().isEmpty()
        ? Optional.of(file)
        : Optional.empty();
  }

  private ApiConnection connection() throws StorageException {
    if (!Files.exists(kubeconfig())) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          data + " has joined no cluster and has no authority: start the node once");
    }
    return ApiConnection.ofKubeconfig(kubeconfig());
  }

  /** Reads ADDRESS[:PORT], with brackets around an IPv6 address. */
  static URI url(String server) throws StorageException {
    boolean bare = server.indexOf(':') != server.lastIndexOf(':') && !server.startsWith("[");
    try {
      URI url = new URI("https://" + (bare ? "[" + server + "]" : server));
      if (url.getHost() != null && (url.getPath().isEmpty() || url.getPath().equals("/"))) {
        int port = url.getPort() < 0 ? DEFAULT_PORT : url.getPort();
        return new URI("https", null, url.getHost(), port, null, null, null);
      }
    } catch (URISyntaxException e) {
      // Continue below: every wrong value has the same message.
    }
    throw new StorageException(
        ErrorCode.INVALID,
        "\"" + server + "\" is neither ADDRESS nor ADDRESS:PORT of a node's API");
  }
}
