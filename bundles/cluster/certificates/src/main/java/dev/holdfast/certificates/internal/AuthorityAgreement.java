package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.SharedSecrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Clock;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agreement of a cluster's nodes on one authority: the first node creates it, all others adopt it,
 * and each signs its own certificate with it. A node that already has an authority offers that one,
 * so that a cluster keeps its first authority.
 *
 * <p>The key is written before the certificate, so that after a crash in between the agreement
 * starts again.
 */
final class AuthorityAgreement {
  /** Name of the secret; its keys are those of a Kubernetes TLS secret. */
  static final String NAME = "authority";

  static final String CERTIFICATE = "tls.crt";
  static final String KEY = "tls.key";

  private static final Logger LOG = LoggerFactory.getLogger(AuthorityAgreement.class);

  private final Path directory;
  private final SharedSecrets secrets;
  private final Clock clock;

  AuthorityAgreement(Path directory, SharedSecrets secrets, Clock clock) {
    this.directory = directory;
    this.secrets = secrets;
    this.clock = clock;
  }

  private Path certificate() {
    return directory.resolve("ca.crt");
  }

  private Path key() {
    return directory.resolve("ca.key");
  }

  /**
   * Makes the agreement; afterwards the authority's files exist.
   *
   * @throws StorageException failures of the secrets; INVALID when they do not contain an
   *     authority; IO
   */
  void make() throws StorageException {
    boolean own = Files.exists(certificate());
    if (own && !Files.exists(key())) {
      return; // The owner's own authority, whose key is elsewhere, must not be shared.
    }
    try {
      Map<String, String> mine = own ? read() : newAuthority();
      Map<String, String> agreed = secrets.agree(NAME, mine);
      if (!own) {
        take(agreed);
      } else if (!mine.get(CERTIFICATE).strip().equals(text(agreed, CERTIFICATE).strip())) {
        LOG.error(
            "The authority in {} is not that of the cluster: other nodes do not trust this one."
                + " Remove {} while the node is stopped, to take the cluster's",
            directory,
            directory);
      }
    } catch (IOException e) {
      throw StorageException.io("keep the cluster's authority in " + directory, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INTERNAL, "no authority can be made: " + e.getMessage(), e);
    }
  }

  private Map<String, String> read() throws IOException {
    return Map.of(CERTIFICATE, Files.readString(certificate()), KEY, Files.readString(key()));
  }

  private Map<String, String> newAuthority() throws GeneralSecurityException, IOException {
    CertificateAuthority maker = new CertificateAuthority();
    KeyPair key = maker.newKey();
    return Map.of(
        CERTIFICATE,
        ascii(Pem.encode("CERTIFICATE", maker.authority(key, clock.instant()))),
        KEY,
        ascii(Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded())));
  }

  private static String ascii(byte[] text) {
    return new String(text, StandardCharsets.US_ASCII);
  }

  private void take(Map<String, String> agreed)
      throws StorageException, IOException, GeneralSecurityException {
    String authority = text(agreed, CERTIFICATE);
    var parsed = Pem.certificates(authority, "the cluster's secret \"" + NAME + "\"").get(0);
    PrivateFiles.createDirectory(directory);
    PrivateFiles.write(key(), text(agreed, KEY).getBytes(StandardCharsets.US_ASCII));
    if (!NodeKeys.fits(Pem.privateKey(key(), parsed), parsed)) {
      throw invalid("has a key that is not its certificate's");
    }
    PrivateFiles.write(certificate(), authority.getBytes(StandardCharsets.US_ASCII));
    LOG.info(
        "The cluster's authority is {}, kept in {}", parsed.getSubjectX500Principal(), directory);
  }

  private static String text(Map<String, String> agreed, String name) throws StorageException {
    String text = agreed.getOrDefault(name, "");
    if (text.isBlank()) {
      throw invalid("lacks " + name);
    }
    return text;
  }

  private static StorageException invalid(String what) {
    return new StorageException(ErrorCode.INVALID, "the cluster's secret \"" + NAME + "\" " + what);
  }
}
