package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trust in the authorities of one file, as it is now or as it was when it was last usable. */
final class NodeTrust extends X509ExtendedTrustManager {
  private static final Logger LOG = LoggerFactory.getLogger(NodeTrust.class);

  private final Path authorities;
  private FileTime seen;
  private X509ExtendedTrustManager loaded;

  NodeTrust(Path authorities) throws StorageException {
    this.authorities = authorities;
    this.seen = time();
    this.loaded = load();
  }

  private FileTime time() throws StorageException {
    try {
      return Files.getLastModifiedTime(authorities);
    } catch (IOException e) {
      throw StorageException.io("read " + authorities, e);
    }
  }

  private X509ExtendedTrustManager load() throws StorageException {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      int number = 0;
      for (X509Certificate certificate : Pem.certificates(authorities)) {
        trusted.setCertificateEntry("ca-" + number++, certificate);
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(trusted);
      return Arrays.stream(factory.getTrustManagers())
          .filter(X509ExtendedTrustManager.class::isInstance)
          .map(X509ExtendedTrustManager.class::cast)
          .findFirst()
          .orElseThrow(() -> new GeneralSecurityException("no PKIX trust manager"));
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, authorities + " cannot be used: " + e.getMessage(), e);
    } catch (IOException e) {
      throw StorageException.io("use " + authorities, e);
    }
  }

  private synchronized X509ExtendedTrustManager current() {
    try {
      FileTime now = time();
      if (!now.equals(seen)) {
        loaded = load();
        seen = now;
        LOG.info("Trusting the replaced authorities in {}", authorities);
      }
    } catch (StorageException e) {
      LOG.warn("keeping the present authorities: {}", e.getMessage());
    }
    return loaded;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    current().checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    current().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    current().checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    current().checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    current().checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    current().checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return current().getAcceptedIssuers();
  }
}
