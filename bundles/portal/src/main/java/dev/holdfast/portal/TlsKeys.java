package dev.holdfast.portal;

import dev.holdfast.frontend.TlsPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's certificate and key: {@code server.crt} and {@code server.key} (PEM, PKCS#8) in one
 * directory. Read when first needed, and again when the certificate's file changes.
 */
final class TlsKeys implements ListenerTls {
  private static final Logger log = LoggerFactory.getLogger(TlsKeys.class);

  private final Optional<Path> directory;
  private final PortalSettings.TlsMode mode;
  private Optional<SSLContext> loaded = Optional.empty();
  private Optional<FileTime> loadedFrom = Optional.empty();

  TlsKeys(Optional<Path> directory, PortalSettings.TlsMode mode) {
    this.directory = directory;
    this.mode = mode;
  }

  @Override
  public TlsPolicy policy() {
    return switch (mode) {
      case OFF -> TlsPolicy.OFF;
      case OFFER -> context().isPresent() ? TlsPolicy.OFFERED : TlsPolicy.OFF;
      case REQUIRE -> TlsPolicy.REQUIRED;
    };
  }

  @Override
  public Transport secure(SocketChannel channel) throws IOException {
    SSLContext tls = context().orElseThrow(() -> new IOException("the certificate is gone"));
    TlsTransport transport = new TlsTransport(channel, tls);
    transport.handshake();
    return transport;
  }

  /** Returns the context of the current certificate, or empty when there is none that works. */
  synchronized Optional<SSLContext> context() {
    if (mode == PortalSettings.TlsMode.OFF || directory.isEmpty()) {
      return Optional.empty();
    }
    Path certificate = directory.get().resolve("server.crt");
    try {
      if (!Files.exists(certificate)) {
        return Optional.empty();
      }
      FileTime changed = Files.getLastModifiedTime(certificate);
      if (loadedFrom.filter(changed::equals).isEmpty()) {
        loadedFrom = Optional.of(changed);
        loaded = Optional.of(load(certificate, directory.get().resolve("server.key")));
      }
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      loaded = Optional.empty();
      log.error("TLS is not offered: {} or its key cannot be used", certificate, e);
    }
    return loaded;
  }

  private static SSLContext load(Path certificate, Path key)
      throws IOException, GeneralSecurityException {
    Certificate[] chain;
    try (InputStream pem = Files.newInputStream(certificate)) {
      chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(pem)
              .toArray(Certificate[]::new);
    }
    if (chain.length == 0) {
      throw new GeneralSecurityException(certificate + " holds no certificate");
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    char[] password = new char[0];
    store.setKeyEntry("server", privateKey(key, chain[0]), password, chain);
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static PrivateKey privateKey(Path file, Certificate certificate)
      throws IOException, GeneralSecurityException {
    String body =
        Files.readString(file, StandardCharsets.US_ASCII)
            .replaceAll("-----[A-Z ]+-----", "")
            .replaceAll("\\s", "");
    byte[] encoded = Base64.getDecoder().decode(body);
    return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }
}
