package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trust in the authorities of one file, in its present or last usable state. Without an optional
 * file no certificate is trusted.
 */
public final class NodeTrust extends X509ExtendedTrustManager {
  private static final Logger LOG = LoggerFactory.getLogger(NodeTrust.class);

  private final Path authorities;
  private final boolean required;

  /** Time of the file when it was read, empty while it was absent. */
  private Optional<FileTime> seen = Optional.empty();

  private Optional<X509ExtendedTrustManager> loaded = Optional.empty();

  private NodeTrust(Path authorities, boolean required) {
    this.authorities = authorities;
    this.required = required;
  }

  /** Trusts the authorities of a file that must be there now. */
  public static NodeTrust of(Path authorities) throws StorageException {
    NodeTrust trust = new NodeTrust(authorities, true);
    trust.seen = trust.time();
    trust.loaded = Optional.of(trust.load());
    return trust;
  }

  /** Creates trust in the authorities of a file that may be added and removed. */
  static NodeTrust ofOptional(Path authorities) {
    return new NodeTrust(authorities, false);
  }

  private Optional<FileTime> time() throws StorageException {
    try {
      return Optional.of(Files.getLastModifiedTime(authorities));
    } catch (IOException e) {
      if (e instanceof NoSuchFileException && !required) {
        return Optional.empty();
      }
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

  private synchronized Optional<X509ExtendedTrustManager> present() {
    try {
      Optional<FileTime> now = time();
      if (!now.equals(seen)) {
        // Set before reading, so that an unusable file is logged once.
        seen = now;
        loaded = now.isPresent() ? Optional.of(load()) : Optional.empty();
        LOG.info("{}: {}", authorities, now.isPresent() ? "trusting its authorities" : "removed");
      }
    } catch (StorageException e) {
      LOG.warn("keeping the present authorities: {}", e.getMessage());
    }
    return loaded;
  }

  private X509ExtendedTrustManager current() throws CertificateException {
    return present()
        .orElseThrow(() -> new CertificateException(authorities + ": no authority is trusted"));
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
    return present()
        .map(X509ExtendedTrustManager::getAcceptedIssuers)
        .orElseGet(() -> new X509Certificate[0]);
  }
}
