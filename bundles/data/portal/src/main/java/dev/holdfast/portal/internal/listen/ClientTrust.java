package dev.holdfast.portal.internal.listen;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the certificates whose fingerprints the directory of clients lists, within their period of
 * validity, and those of the cluster's nodes. A client's certificate needs no authority: the list
 * grants the rights, and removing the entry ends them.
 */
final class ClientTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager nodes;
  private final Supplier<Optional<ClientDirectory>> clients;

  private ClientTrust(X509ExtendedTrustManager nodes, Supplier<Optional<ClientDirectory>> clients) {
    this.nodes = nodes;
    this.clients = clients;
  }

  /** Returns a context that presents the node's certificate. */
  static SSLContext context(NodeTls tls, Supplier<Optional<ClientDirectory>> clients)
      throws StorageException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        new KeyManager[] {tls.keyManager()},
        new TrustManager[] {new ClientTrust(tls.trustManager(), clients)},
        null);
    return context;
  }

  /** Returns the identity of a certificate, which the directory may list. */
  static ClientIdentity identity(Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return new ClientIdentity(ClientIdentity.Type.CERTIFICATE, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException | CertificateEncodingException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    if (!isListed(chain[0])) {
      nodes.checkClientTrusted(chain, type, engine);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    if (!isListed(chain[0])) {
      nodes.checkClientTrusted(chain, type);
    }
  }

  private boolean isListed(X509Certificate certificate) throws CertificateException {
    certificate.checkValidity();
    ClientIdentity identity = identity(certificate);
    return clients.get().flatMap(known -> known.rights(identity)).isPresent();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    throw serversOnly();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    throw serversOnly();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw serversOnly();
  }

  private static CertificateException serversOnly() {
    return new CertificateException("this context is for servers only");
  }

  /** Empty, so that clients present a certificate of any authority. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
