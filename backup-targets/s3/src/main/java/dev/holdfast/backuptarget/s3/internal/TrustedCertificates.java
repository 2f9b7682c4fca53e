package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Trust in the certificates of the JVM and in further ones. */
final class TrustedCertificates {
  private TrustedCertificates() {}

  /** Returns what trusts certificates in PEM beside those of the JVM. */
  static TrustManager[] with(String pem) throws StorageException {
    Collection<? extends Certificate> further = parsed(pem);
    try {
      KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
      all.load(null, null);
      int number = 0;
      for (TrustManager manager : managers(null)) {
        if (manager instanceof X509TrustManager known) {
          for (Certificate certificate : known.getAcceptedIssuers()) {
            all.setCertificateEntry("jvm-" + number++, certificate);
          }
        }
      }
      for (Certificate certificate : further) {
        all.setCertificateEntry("own-" + number++, certificate);
      }
      return managers(all);
    } catch (GeneralSecurityException | IOException e) {
      throw invalid();
    }
  }

  private static Collection<? extends Certificate> parsed(String pem) throws StorageException {
    try {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
      if (found.isEmpty()) {
        throw invalid();
      }
      return found;
    } catch (CertificateException e) {
      throw invalid();
    }
  }

  private static TrustManager[] managers(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static StorageException invalid() {
    return S3Access.invalid("AWS_CERT: expected certificates in PEM");
  }
}
