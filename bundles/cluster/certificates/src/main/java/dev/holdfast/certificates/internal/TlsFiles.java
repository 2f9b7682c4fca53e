package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The four PEM files of a node.
 *
 * <p>A certificate that the authority of this directory signed is renewed here. Its key stays. A
 * new key, if needed, is written before the certificate. A crash in between leaves a pair that does
 * not match, which the next start finds and replaces.
 */
public final class TlsFiles implements NodeTls {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
  private static final Duration RENEW_BEFORE = Duration.ofDays(10);
  private static final Duration WARN_BEFORE = Duration.ofDays(7);

  private final Path directory;
  private final String node;
  private final Set<String> names;
  private final Clock clock;
  private final CertificateAuthority authority = new CertificateAuthority();

  private TlsFiles(Path directory, String node, Collection<String> names, Clock clock) {
    this.directory = directory;
    this.node = node;
    this.names = new TreeSet<>(names);
    this.clock = clock;
  }

  /** Creates missing files, and renews a certificate that expires soon. */
  public static TlsFiles prepare(Path directory, String node, Collection<String> names, Clock clock)
      throws StorageException {
    TlsFiles files = new TlsFiles(directory, node, names, clock);
    boolean unused =
        files.attempt(
            () -> {
              PrivateFiles.createDirectory(directory);
              new RotationFiles(directory, clock).resume();
              files.ensureAuthority(clock.instant());
              files.ensureOwn();
              return true;
            });
    return files;
  }

  /** A change of the files. */
  private interface Change {
    boolean make() throws StorageException, IOException, GeneralSecurityException;
  }

  private boolean attempt(Change change) throws StorageException {
    try {
      return change.make();
    } catch (IOException e) {
      throw StorageException.io("prepare the certificates in " + directory, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INTERNAL,
          "the certificates in " + directory + " cannot be made: " + e.getMessage(),
          e);
    }
  }

  /** Signs a new certificate with the authority of the directory, for the existing key. */
  public static void renew(Path directory, String node, Collection<String> names, Clock clock)
      throws StorageException {
    TlsFiles files = new TlsFiles(directory, node, names, clock);
    boolean unused =
        files.attempt(
            () -> {
              files.sign();
              return true;
            });
  }

  /**
   * Renews a certificate of this directory's own authority that expires soon. A certificate of
   * another authority stays.
   *
   * @return whether a new certificate was stored
   */
  boolean renewIfDue() throws StorageException {
    return attempt(
        () -> {
          if (!Files.exists(caKey()) || !Files.exists(certificate())) {
            return false;
          }
          X509Certificate ca = Pem.certificates(caCertificate()).get(0);
          X509Certificate own = Pem.certificates(certificate()).get(0);
          if (!isSignedBy(own, ca) || !isDue(own, ca, clock.instant())) {
            return false;
          }
          sign();
          return true;
        });
  }

  /**
   * Returns whether a certificate must be renewed now; an authority that expires cannot renew it.
   */
  static boolean isDue(X509Certificate own, X509Certificate ca, Instant now) {
    Instant end = own.getNotAfter().toInstant();
    return ca.getNotAfter().toInstant().isAfter(end) && end.minus(RENEW_BEFORE).isBefore(now);
  }

  @Override
  public Path caCertificate() {
    return directory.resolve("ca.crt");
  }

  @Override
  public Path certificate() {
    return directory.resolve("server.crt");
  }

  @Override
  public Path key() {
    return directory.resolve("server.key");
  }

  private Path caKey() {
    return directory.resolve("ca.key");
  }

  private void ensureAuthority(Instant now)
      throws StorageException, IOException, GeneralSecurityException {
    if (Files.exists(caCertificate())) {
      return;
    }
    if (Files.exists(certificate())) {
      throw new StorageException(
          ErrorCode.INVALID,
          certificate()
              + " is there but "
              + caCertificate()
              + " is not: put the certificate of its authority there, or remove server.crt and"
              + " server.key to have new ones made");
    }
    KeyPair key = authority.newKey();
    PrivateFiles.write(caKey(), Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded()));
    PrivateFiles.write(caCertificate(), Pem.encode("CERTIFICATE", authority.authority(key, now)));
    LOG.info("Made a certificate authority in {}", directory);
  }

  private void ensureOwn() throws StorageException, IOException, GeneralSecurityException {
    if (needsRenewal(Pem.certificates(caCertificate()).get(0), clock.instant())) {
      sign();
    }
  }

  private void sign() throws StorageException, IOException, GeneralSecurityException {
    if (!Files.exists(caKey())) {
      throw new StorageException(
          ErrorCode.INVALID,
          certificate() + " and " + key() + " must be made by the owner of " + caCertificate());
    }
    PublicKey key = ownKey();
    String signed =
        new FileAuthority(directory, clock)
            .sign(new CertificateRequest(node, List.copyOf(names), key));
    PrivateFiles.write(certificate(), signed.getBytes(StandardCharsets.US_ASCII));
    LOG.info("Made a certificate of node {} for {} in {}", node, names, directory);
  }

  /**
   * Returns the present key, by which the other nodes recognize this node until they have the next
   * list of members. Creates a key when none matches.
   */
  private PublicKey ownKey() throws IOException, GeneralSecurityException {
    if (Files.exists(certificate()) && Files.exists(key())) {
      try {
        X509Certificate own = Pem.certificates(certificate()).get(0);
        if (NodeKeys.fits(Pem.privateKey(key(), own), own)) {
          return own.getPublicKey();
        }
      } catch (StorageException | GeneralSecurityException e) {
        LOG.warn("Making another key of this node: {}", e.getMessage());
      }
    }
    KeyPair made = authority.newKey();
    PrivateFiles.write(key(), Pem.encode("PRIVATE KEY", made.getPrivate().getEncoded()));
    return made.getPublic();
  }

  private boolean needsRenewal(X509Certificate ca, Instant now)
      throws StorageException, GeneralSecurityException {
    if (!Files.exists(certificate()) || !Files.exists(key())) {
      return true;
    }
    X509Certificate own = Pem.certificates(certificate()).get(0);
    if (!Files.exists(caKey()) || !isSignedBy(own, ca)) {
      warnOfOthers(own, now);
      return false;
    }
    return isDue(own, ca, now)
        || !nodeOf(own).equals(Optional.of(node))
        || !names(own).containsAll(normalized(names))
        || !NodeKeys.fits(Pem.privateKey(key(), own), own);
  }

  /** The issuer must renew the certificate: this node can only warn its owner. */
  private void warnOfOthers(X509Certificate own, Instant now) throws GeneralSecurityException {
    Instant end = own.getNotAfter().toInstant();
    if (end.minus(WARN_BEFORE).isBefore(now)) {
      LOG.warn(
          "{} {} at {}: run 'holdfast node renew' or replace it",
          certificate(),
          end.isBefore(now) ? "expired" : "expires",
          end);
    }
    Set<String> missing = normalized(names);
    missing.removeAll(names(own));
    if (!missing.isEmpty()) {
      LOG.warn("{} does not name {}: run 'holdfast node renew'", certificate(), missing);
    }
  }

  static Optional<String> nodeOf(X509Certificate certificate) {
    return NodeSubject.node(
        X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded()));
  }

  static boolean isSignedBy(X509Certificate certificate, X509Certificate ca) {
    try {
      certificate.verify(ca.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      LOG.debug("{} is not of this authority", certificate.getSubjectX500Principal(), e);
      return false;
    }
  }

  static Set<String> names(X509Certificate certificate) throws GeneralSecurityException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    return names == null
        ? Set.of()
        : normalized(names.stream().map(entry -> String.valueOf(entry.get(1))).toList());
  }

  /** Normalizes IPv6 addresses, which the certificate contains in full form. */
  private static Set<String> normalized(Collection<String> names) {
    return names.stream()
        .map(name -> name.contains(":") ? expanded(name) : name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String expanded(String address) {
    try {
      return java.net.InetAddress.getByName(address).getHostAddress();
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException("\"" + address + "\" is not an IP address", e);
    }
  }

  @Override
  public SSLContext serverContext() throws StorageException {
    return context(new TrustManager[] {userTrust()});
  }

  @Override
  public SSLContext peerContext() throws StorageException {
    return context(new TrustManager[] {trustManager()});
  }

  private SSLContext context(TrustManager[] trust) throws StorageException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {keyManager()}, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, certificate() + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public X509ExtendedKeyManager keyManager() throws StorageException {
    return new NodeKeys(certificate(), key());
  }

  @Override
  public X509ExtendedTrustManager trustManager() throws StorageException {
    return NodeTrust.of(caCertificate());
  }

  @Override
  public X509ExtendedTrustManager userTrust() {
    return NodeTrust.ofOptional(directory.resolve("clients-ca.crt"));
  }

  @Override
  public String keyFingerprint() throws StorageException {
    return Members.fingerprint(Pem.certificates(certificate()).get(0));
  }

  @Override
  public String peerName(Certificate[] chain) throws StorageException {
    if (chain.length > 0 && chain[0] instanceof X509Certificate leaf) {
      Optional<String> peer = nodeOf(leaf);
      if (peer.isPresent()) {
        return peer.get();
      }
    }
    throw new StorageException(
        ErrorCode.FORBIDDEN, "the peer's certificate is not a node's: it needs O=holdfast:nodes");
  }
}
