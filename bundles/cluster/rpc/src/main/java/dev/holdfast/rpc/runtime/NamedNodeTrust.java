package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts one node: its certificate must be issued by the cluster's authority and contain its name.
 * Addresses are not compared, because a node's address may have changed since its certificate was
 * issued.
 */
final class NamedNodeTrust extends X509ExtendedTrustManager {
  private final NodeTls tls;
  private final X509ExtendedTrustManager authority;
  private final String node;

  NamedNodeTrust(NodeTls tls, String node) throws StorageException {
    this.tls = tls;
    this.authority = tls.trustManager();
    this.node = node;
  }

  private void checkServer(X509Certificate[] chain, String type) throws CertificateException {
    authority.checkServerTrusted(chain, type);
    String name;
    try {
      name = tls.peerName(chain);
    } catch (StorageException e) {
      throw new CertificateException(e.getMessage(), e);
    }
    if (!name.equals(node)) {
      throw new CertificateException("node " + node + " was called, node " + name + " answered");
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServer(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    authority.checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    authority.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    authority.checkClientTrusted(chain, type, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authority.getAcceptedIssuers();
  }
}
