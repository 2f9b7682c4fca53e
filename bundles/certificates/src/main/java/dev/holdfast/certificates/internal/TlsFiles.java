package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The four PEM files of a node.
 *
 * <p>A certificate that the authority of this directory signed is ours: it is renewed here. The key
 * is written before the certificate; a crash in between leaves a pair that does not fit, which the
 * next start finds and makes anew.
 */
public final class TlsFiles implements NodeTls {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
  private static final Duration RENEW_BEFORE = Duration.ofDays(275);

  private final Path directory;
  private final CertificateAuthority authority = new CertificateAuthority();

  private TlsFiles(Path directory) {
    this.directory = directory;
  }

  /** Makes or renews what is needed, as {@link dev.holdfast.certificates.TlsDirectory} says. */
  public static TlsFiles prepare(Path directory, Collection<String> names, Clock clock)
      throws StorageException {
    TlsFiles files = new TlsFiles(directory);
    try {
      PrivateFiles.createDirectory(directory);
      files.ensureAuthority(clock.instant());
      files.ensureServer(new TreeSet<>(names), clock.instant());
    } catch (IOException e) {
      throw StorageException.io("prepare the certificates in " + directory, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INTERNAL,
          "the certificates in " + directory + " cannot be made: " + e.getMessage(),
          e);
    }
    return files;
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

  private void ensureServer(Set<String> names, Instant now)
      throws StorageException, IOException, GeneralSecurityException {
    X509Certificate ca = Pem.certificates(caCertificate()).get(0);
    if (!needsRenewal(ca, names, now)) {
      return;
    }
    if (!Files.exists(caKey())) {
      throw new StorageException(
          ErrorCode.INVALID,
          certificate() + " and " + key() + " must be made by the owner of " + caCertificate());
    }
    PrivateKey caKey = Pem.privateKey(caKey(), ca);
    KeyPair key = authority.newKey();
    PrivateFiles.write(key(), Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded()));
    PrivateFiles.write(
        certificate(),
        Pem.encode("CERTIFICATE", authority.server(ca, caKey, key.getPublic(), names, now)));
    LOG.info("Made a server certificate for {} in {}", names, directory);
  }

  private boolean needsRenewal(X509Certificate ca, Set<String> names, Instant now)
      throws StorageException, GeneralSecurityException {
    if (!Files.exists(certificate()) || !Files.exists(key())) {
      return true;
    }
    X509Certificate server = Pem.certificates(certificate()).get(0);
    boolean ours = Files.exists(caKey()) && isSignedBy(server, ca);
    Instant end = server.getNotAfter().toInstant();
    if (!ours) {
      if (end.isBefore(now)) {
        LOG.warn("{} expired at {}: its owner must replace it", certificate(), end);
      }
      return false;
    }
    boolean caOutlives = ca.getNotAfter().toInstant().isAfter(end);
    return (caOutlives && end.minus(RENEW_BEFORE).isBefore(now))
        || !names(server).containsAll(normalized(names))
        || !fits(Pem.privateKey(key(), server), server);
  }

  private static boolean isSignedBy(X509Certificate certificate, X509Certificate ca) {
    try {
      certificate.verify(ca.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      LOG.debug("{} is not of this authority", certificate.getSubjectX500Principal(), e);
      return false;
    }
  }

  private static Set<String> names(X509Certificate certificate) throws GeneralSecurityException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    return names == null
        ? Set.of()
        : normalized(names.stream().map(entry -> String.valueOf(entry.get(1))).toList());
  }

  /** Brings IPv6 addresses into one form; the certificate spells them out. */
  private static Set<String> normalized(Collection<String> names) {
    return names.stream()
        .map(name -> name.contains(":") ? expanded(name) : name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String expanded(String address) {
    try {
      return java.net.InetAddress.getByName(address).getHostAddress();
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException("\"" + address + "\" is no IP address", e);
    }
  }

  private static boolean fits(PrivateKey key, X509Certificate certificate)
      throws GeneralSecurityException {
    Signature signature =
        Signature.getInstance(
            key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
    byte[] probe = certificate.getSerialNumber().toByteArray();
    signature.initSign(key);
    signature.update(probe);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    signature.update(probe);
    return signature.verify(signed);
  }

  @Override
  public SSLContext serverContext() throws StorageException {
    List<X509Certificate> chain = Pem.certificates(certificate());
    PrivateKey privateKey = Pem.privateKey(key(), chain.get(0));
    try {
      if (!fits(privateKey, chain.get(0))) {
        throw new StorageException(
            ErrorCode.INVALID, key() + " is not the key of " + certificate());
      }
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, null);
      char[] none = new char[0];
      keys.setKeyEntry("server", privateKey, none, chain.toArray(X509Certificate[]::new));
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, none);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, certificate() + " cannot be used: " + e.getMessage(), e);
    } catch (IOException e) {
      throw StorageException.io("use " + certificate(), e);
    }
  }
}
