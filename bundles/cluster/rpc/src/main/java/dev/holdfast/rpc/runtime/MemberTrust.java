package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts clients whose certificate is issued by the cluster's authority and names a member. */
final class MemberTrust extends X509ExtendedTrustManager {
  private final NodeTls tls;
  private final X509ExtendedTrustManager authority;

  MemberTrust(NodeTls tls) throws StorageException {
    this.tls = tls;
    this.authority = tls.trustManager();
  }

  private void checkMember(X509Certificate[] chain) throws CertificateException {
    try {
      String unused = tls.peerName(chain);
    } catch (StorageException e) {
      throw new CertificateException(e.getMessage(), e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    authority.checkClientTrusted(chain, type);
    checkMember(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    authority.checkClientTrusted(chain, type, socket);
    checkMember(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    authority.checkClientTrusted(chain, type, engine);
    checkMember(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("this side is a server");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authority.getAcceptedIssuers();
  }
}
