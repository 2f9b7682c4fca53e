package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;

/** The authority whose certificate and key are {@code ca.crt} and {@code ca.key}. */
public final class FileAuthority implements NodeAuthority {
  private final Path directory;
  private final Clock clock;
  private final CertificateAuthority authority = new CertificateAuthority();

  /** Uses the files of a directory; reads them when they are needed. */
  public FileAuthority(Path directory, Clock clock) {
    this.directory = directory;
    this.clock = clock;
  }

  private Path caCertificate() {
    return directory.resolve("ca.crt");
  }

  private Path caKey() {
    return directory.resolve("ca.key");
  }

  @Override
  public String certificate() throws StorageException {
    try {
      return Files.readString(caCertificate());
    } catch (IOException e) {
      throw StorageException.io("read " + caCertificate(), e);
    }
  }

  @Override
  public String sign(CertificateRequest request) throws StorageException {
    if (!Files.exists(caKey())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "this node cannot sign certificates: the key of the cluster's authority is not in "
              + caKey());
    }
    RotationFiles.Signer signer = RotationFiles.signer(directory);
    X509Certificate ca = Pem.certificates(signer.certificate()).get(0);
    PrivateKey key = Pem.privateKey(signer.key(), ca);
    try {
      if (!NodeKeys.fits(key, ca)) {
        throw new StorageException(
            ErrorCode.INVALID, signer.key() + " is not the key of " + signer.certificate());
      }
      byte[] signed =
          authority.node(ca, key, request.key(), request.node(), request.names(), clock.instant());
      return new String(Pem.encode("CERTIFICATE", signed), StandardCharsets.US_ASCII)
          + signer.bridge();
    } catch (GeneralSecurityException | IOException e) {
      throw new StorageException(
          ErrorCode.INTERNAL, "the certificate cannot be made: " + e.getMessage(), e);
    }
  }
}
