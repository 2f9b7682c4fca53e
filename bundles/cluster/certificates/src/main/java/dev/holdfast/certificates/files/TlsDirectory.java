package dev.holdfast.certificates.files;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.certificates.internal.FileAuthority;
import dev.holdfast.certificates.internal.FollowedAuthority;
import dev.holdfast.certificates.internal.JoinedFiles;
import dev.holdfast.certificates.internal.NodeNames;
import dev.holdfast.certificates.internal.NodeTrust;
import dev.holdfast.certificates.internal.Requests;
import dev.holdfast.certificates.internal.RotationFiles;
import dev.holdfast.certificates.internal.TlsFiles;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.X509ExtendedTrustManager;

/** Prepares a directory of TLS files outside of the container: for tools and tests. */
public final class TlsDirectory {
  private TlsDirectory() {}

  /**
   * Creates missing files of {@code ca.crt}, {@code ca.key}, {@code server.crt} and {@code
   * server.key}, and renews the node's certificate when it expires soon or lacks a name. Does not
   * change the owner's own files.
   *
   * @param directory created when it is absent
   * @param node the name of the node
   * @param names host names and IP addresses that clients use
   * @param clock clock for the validity
   * @return the files, never null
   * @throws StorageException INVALID when the owner's files do not match; IO, NO_SPACE
   */
  public static NodeTls prepare(Path directory, String node, Collection<String> names, Clock clock)
      throws StorageException {
    return TlsFiles.prepare(directory, node, names, clock);
  }

  /**
   * As {@link #prepare(Path, String, Collection, Clock)}, for the node {@code node-1}.
   *
   * @throws StorageException as the other
   */
  public static NodeTls prepare(Path directory, Collection<String> names, Clock clock)
      throws StorageException {
    return prepare(directory, "node-1", names, clock);
  }

  /**
   * Returns the names for a node's certificate: the node, the addresses, all addresses of this
   * machine instead of a wildcard, and loopback.
   *
   * @param node the name of the node
   * @param addresses addresses that it is bound to or advertises; ignores blank ones
   * @throws StorageException IO when the machine's addresses cannot be read
   */
  public static List<String> names(String node, Collection<String> addresses)
      throws StorageException {
    return NodeNames.of(node, addresses);
  }

  /**
   * Returns the authority of a directory that {@link #prepare} has created or checked.
   *
   * @param directory directory with {@code ca.crt} and {@code ca.key}
   * @param clock clock for the validity
   */
  public static NodeAuthority authority(Path directory, Clock clock) {
    return new FileAuthority(directory, clock);
  }

  /**
   * Creates the certificate signing request of a node for the authority of another node. Reuses an
   * existing key {@code server.key}, so that a repeated request is for the same certificate.
   *
   * @param directory created when it is absent
   * @param node the name of the node
   * @param names host names and IP addresses of the node for others
   * @return the request as PEM, never null
   * @throws StorageException INVALID when an existing key is unusable; IO, NO_SPACE
   */
  public static String request(Path directory, String node, Collection<String> names)
      throws StorageException {
    return JoinedFiles.request(directory, node, names);
  }

  /**
   * Stores the response of the authority: writes {@code ca.crt} and {@code server.crt}.
   *
   * @param directory directory with the key of the request
   * @param caCertificate of the authority, as PEM
   * @param certificate of the node, as PEM
   * @throws StorageException INVALID when the certificate is not for this key or not signed by the
   *     authority; IO, NO_SPACE
   */
  public static void accept(Path directory, String caCertificate, String certificate)
      throws StorageException {
    JoinedFiles.accept(directory, caCertificate, certificate);
  }

  /**
   * Reads the request of a node and checks its signature.
   *
   * @param pem result of {@link #request}, not null
   * @throws StorageException INVALID when it is not a node's request, or not signed by its key
   */
  public static CertificateRequest parseRequest(String pem) throws StorageException {
    return Requests.parse(pem);
  }

  /**
   * Returns whether this node can sign for the cluster's authority: whether the authority's key is
   * in the directory.
   *
   * @param directory with the files of the node
   */
  public static boolean hasAuthority(Path directory) {
    return Files.exists(directory.resolve("ca.key"));
  }

  /**
   * Signs a new certificate with the authority of the directory. The node's key stays, and a
   * running node uses the certificate from its next connection on.
   *
   * @param directory with {@code ca.crt} and {@code ca.key}
   * @param node the name of the node
   * @param names host names and IP addresses of the node for others
   * @param clock clock for the validity
   * @throws StorageException INVALID when files do not match; IO, NO_SPACE
   */
  public static void renew(Path directory, String node, Collection<String> names, Clock clock)
      throws StorageException {
    TlsFiles.renew(directory, node, names, clock);
  }

  /**
   * Returns whether the node's certificate expires within ten days, and its authority later.
   *
   * @param directory with {@code ca.crt} and {@code server.crt}
   * @param clock clock of the present time
   * @throws StorageException INVALID when a file is not a certificate; IO
   */
  public static boolean isDue(Path directory, Clock clock) throws StorageException {
    return JoinedFiles.isDue(directory, clock.instant());
  }

  /**
   * Returns the rotation of the authority of a directory.
   *
   * @param directory with {@code ca.crt} and {@code ca.key}
   * @param clock for validity
   */
  public static AuthorityRotation rotation(Path directory, Clock clock) {
    return new RotationFiles(directory, clock);
  }

  /**
   * Returns which authorities a node uses whose authority is elsewhere.
   *
   * @param directory with {@code ca.crt} and {@code server.crt}
   * @param others certificates as PEM; the report has only authorities that are among them too
   * @throws StorageException INVALID when they are not certificates; IO
   */
  public static TrustReport report(Path directory, String others) throws StorageException {
    return FollowedAuthority.report(directory, others);
  }

  /**
   * Returns the SHA-256 of certificates in hexadecimal digits, in their order, never null.
   *
   * @param certificates as PEM
   * @throws StorageException INVALID when they are not certificates
   */
  public static List<String> fingerprints(String certificates) throws StorageException {
    return FollowedAuthority.fingerprints(certificates);
  }

  /**
   * Has a node trust these authorities of its cluster from the next handshake on.
   *
   * @param directory with {@code ca.crt} and {@code server.crt}
   * @param authorities as PEM, the one that signs first
   * @throws StorageException INVALID when they are not certificates; IO, NO_SPACE
   */
  public static void trust(Path directory, String authorities) throws StorageException {
    FollowedAuthority.trust(directory, authorities);
  }

  /**
   * Returns trust in the authorities of a file, as it is at each handshake.
   *
   * @param authorities as PEM; the file exists
   * @throws StorageException INVALID when they are not certificates; IO
   */
  public static X509ExtendedTrustManager trustIn(Path authorities) throws StorageException {
    return NodeTrust.of(authorities);
  }

  /**
   * Returns the host names and IP addresses in the node's certificate, never null.
   *
   * @param directory with {@code server.crt}
   * @throws StorageException INVALID when the file is not a certificate; IO
   */
  public static List<String> presentNames(Path directory) throws StorageException {
    return JoinedFiles.names(directory);
  }
}
