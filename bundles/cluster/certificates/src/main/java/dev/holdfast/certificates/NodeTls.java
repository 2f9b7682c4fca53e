package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The PEM files of the node's TLS. When this service is there, the files exist and belong together.
 * The owner may replace them by others at any time: every handshake uses the files as they are
 * then, or as they last were usable. Thread-safe.
 *
 * <p>Between nodes both sides show their certificate. A client or a server between nodes needs only
 * {@link #keyManager} and {@link #trustManager}. A server must demand the client's certificate, and
 * both sides must ask {@link #peerName} for the other's name, because the authority also signs for
 * nodes other than the intended one.
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
   * Returns a context for servers of users: clients need no certificate, and one that they show
   * must be of {@link #userTrust}.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  SSLContext serverContext() throws StorageException;

  /**
   * Returns a context for both sides of connections between nodes: it shows the node's certificate
   * and trusts the cluster's authority only. A server must set {@code needClientAuth}.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  SSLContext peerContext() throws StorageException;

  /**
   * Returns the node's own certificate and key, for libraries that make their context themselves.
   *
   * @throws StorageException INVALID when the files are not a matching certificate and key; IO
   */
  X509ExtendedKeyManager keyManager() throws StorageException;

  /**
   * Returns trust in the cluster's authority only.
   *
   * @throws StorageException INVALID when the file is not a certificate; IO
   */
  X509ExtendedTrustManager trustManager() throws StorageException;

  /**
   * Returns trust in the authorities that sign certificates of users: those in {@code
   * clients-ca.crt} beside the other files. Without this file, which the owner puts there and may
   * take away at any time, the trust accepts no issuer. Never null.
   */
  X509ExtendedTrustManager userTrust();

  /**
   * Returns the SHA-256 of the public key in the node's own certificate, in hexadecimal digits. The
   * other nodes admit this node by it.
   *
   * @throws StorageException INVALID when the file is not a certificate; IO
   */
  String keyFingerprint() throws StorageException;

  /**
   * Returns which node a peer is, by the certificate that it showed in a handshake under {@link
   * #trustManager}. Ask again for a connection that stays: the node may have been removed.
   *
   * @param chain as {@code SSLSession.getPeerCertificates} gives it, not null
   * @return the node's name, never null
   * @throws StorageException FORBIDDEN when the certificate is not a node's, or the node is not on
   *     the {@link MemberList}
   */
  String peerName(Certificate[] chain) throws StorageException;
}
