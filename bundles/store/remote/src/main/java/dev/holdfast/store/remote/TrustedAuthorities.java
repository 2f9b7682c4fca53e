package dev.holdfast.store.remote;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Creates TLS contexts that trust only given authorities. */
final class TrustedAuthorities {
  private TrustedAuthorities() {}

  /** Trusts the authorities of a file, as it is at each connection. */
  static SSLContext context(Path file) throws StorageException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {TlsDirectory.trustIn(file)}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new StorageException(ErrorCode.INTERNAL, "no TLS: " + e.getMessage(), e);
    }
  }

  static SSLContext context(String pem) throws StorageException {
    try {
      if (pem.isBlank()) {
        return SSLContext.getDefault();
      }
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      int number = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
        trusted.setCertificateEntry("ca-" + number++, certificate);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the CA certificate cannot be used: " + e.getMessage(), e);
    }
  }
}
