package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ConnectionExport;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Hosts that must authenticate by a secret. The file has a line for each host:
 *
 * <pre>
 *   # host (or * for all others)        host's secret       [controller's secret]
 *   nqn.2014-08.org.nvmexpress:uuid:…   DHHC-1:00:…:        DHHC-1:00:…:
 * </pre>
 *
 * <p>The file is read at every Connect and at every authentication, so that a change applies from
 * the next one on. With a file, a host without a line is rejected; without a file, hosts need not
 * authenticate.
 */
public final class HostSecrets {
  private final Optional<HostLines> file;
  private final Optional<ConnectionExport> connection;
  private final String export;
  private final boolean needed;

  /** Uses the given file, if any. */
  public HostSecrets(Optional<Path> file) {
    this(file.map(HostLines::new), Optional.empty(), "", false);
  }

  private HostSecrets(
      Optional<HostLines> file,
      Optional<ConnectionExport> connection,
      String export,
      boolean needed) {
    this.file = file;
    this.connection = connection;
    this.export = export;
    this.needed = needed;
  }

  /**
   * Returns the secrets for one connection: those of clients of the cluster and those of the file.
   *
   * @param present exports of the connection, not null
   * @param wanted name of the export to which the host connects, empty for discovery, not null
   * @param needed whether the host must authenticate in any case
   */
  public HostSecrets at(ConnectionExport present, String wanted, boolean needed) {
    return new HostSecrets(file, Optional.of(present), wanted, needed);
  }

  /**
   * The secrets of one host and the controllers.
   *
   * @param host secret of the host
   * @param controller secret of the controllers, if the host may request their proof
   */
  record Pair(DhchapSecret host, Optional<DhchapSecret> controller) {}

  /** Returns whether a host must authenticate. */
  public boolean required() {
    return file.isPresent() || needed;
  }

  /**
   * Returns the identity of a host after it proved that it knows its secret.
   *
   * @param host NQN of the host, not null
   * @throws StorageException when its secret cannot be read
   */
  public ClientIdentity identity(String host) throws StorageException {
    return new ClientIdentity(
        client(host).isPresent() ? ClientIdentity.Type.INITIATOR : ClientIdentity.Type.CONFIGURED,
        host);
  }

  /**
   * Records that a host was refused.
   *
   * @param host the NQN that it claims, not null
   * @param message one sentence, not null
   */
  public void refused(String host, String message) {
    connection.ifPresent(present -> present.refused(host, message));
  }

  private Optional<ClientSecret> client(String host) throws StorageException {
    return connection.isEmpty()
        ? Optional.empty()
        : connection.get().secret(ClientSecret.Kind.DHCHAP, host, export);
  }

  /**
   * Returns whether a host has a secret.
   *
   * @param host NQN of the host, not null
   * @throws StorageException IO when the file cannot be read, INVALID when its format is wrong
   */
  public boolean has(String host) throws StorageException {
    return of(host).isPresent();
  }

  Optional<Pair> of(String host) throws StorageException {
    Optional<ClientSecret> client = client(host);
    if (client.isPresent()) {
      return Optional.of(pair(client.get(), host));
    }
    Optional<String[]> line = file.isEmpty() ? Optional.empty() : file.get().of(host);
    return line.isEmpty() ? Optional.empty() : Optional.of(pair(line.get()));
  }

  private static Pair pair(ClientSecret secret, String host) throws StorageException {
    try {
      return new Pair(DhchapSecret.of(secret.secret()), secret.own().map(DhchapSecret::of));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the secret of host " + host + ": " + e.getMessage(), e);
    }
  }

  private Pair pair(String[] words) throws StorageException {
    try {
      if (words.length != 2 && words.length != 3) {
        throw new IllegalArgumentException("a line has one secret or two");
      }
      return new Pair(
          DhchapSecret.of(words[1]),
          words.length == 2 ? Optional.empty() : Optional.of(DhchapSecret.of(words[2])));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file.orElseThrow() + ", " + words[0] + ": " + e.getMessage(), e);
    }
  }
}
