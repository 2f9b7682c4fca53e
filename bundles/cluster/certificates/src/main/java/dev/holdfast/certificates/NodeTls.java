package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The PEM files of the node's TLS. While this service exists, the files exist and match. The owner
 * may replace them at any time: every handshake uses the present files, or the last usable ones.
 * Thread-safe.
 *
 * <p>Between nodes both sides present their certificate. A client or a server between nodes needs
 * only {@link #keyManager} and {@link #trustManager}. A server must require the client's
 * certificate, and both sides must check the other's name by {@link #peerName}, because the
 * authority also signs for other nodes.
 */
@ProviderType
public interface NodeTls {
  /** Returns the certificate of the authority that clients trust, never null. */
  Path caCertificate();

  /** Returns the node's certificate, never null. */
  Path certificate();

  /** Returns the node's private key, readable by the owner only, never null. */
  Path key();

  /**
   * Returns a context for servers of users: clients need no certificate, and a certificate that
   * they present must be trusted by {@link #userTrust}.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  SSLContext serverContext() throws StorageException;

  /**
   * Returns a context for both sides of connections between nodes: presents the node's certificate
   * and trusts only the cluster's authority. A server must set {@code needClientAuth}.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  SSLContext peerContext() throws StorageException;

  /**
   * Returns the node's own certificate and key, for libraries that create their own context.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  X509ExtendedKeyManager keyManager() throws StorageException;

  /**
   * Returns a trust manager that accepts only the cluster's authority.
   *
   * @throws StorageException INVALID when the file is not a certificate; IO
   */
  X509ExtendedTrustManager trustManager() throws StorageException;

  /**
   * Returns a trust manager for the authorities that sign certificates of users: those in {@code
   * clients-ca.crt} beside the other files. The owner may add and remove this file at any time;
   * without it no issuer is accepted. Never null.
   */
  X509ExtendedTrustManager userTrust();

  /**
   * Returns the SHA-256 of the public key in the node's own certificate, in hexadecimal digits. The
   * other nodes recognize this node by it.
   *
   * @throws StorageException INVALID when the file is not a certificate; IO
   */
  String keyFingerprint() throws StorageException;

  /**
   * Returns the name of a peer from the certificate that it presented in a handshake under {@link
   * #trustManager}. Repeat this for a long connection, because the node may have been removed.
   *
   * @param chain result of {@code SSLSession.getPeerCertificates}, not null
   * @return the node's name, never null
   * @throws StorageException FORBIDDEN when the certificate is not a node's, or the node is not on
   *     the {@link MemberList}
   */
  String peerName(Certificate[] chain) throws StorageException;
}
