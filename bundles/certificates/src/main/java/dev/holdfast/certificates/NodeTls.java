package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The PEM files of the node's TLS. When this service is there, the files exist, belong together and
 * are valid for the node's names. The owner may replace them by others; they are read anew for each
 * context.
 */
@ProviderType
public interface NodeTls {
  /** Returns the certificate of the authority that clients trust, never null. */
  Path caCertificate();

  /** Returns the server's certificate, never null. */
  Path certificate();

  /** Returns the server's private key (PKCS#8), readable by the owner only, never null. */
  Path key();

  /**
   * Returns a context for servers with the certificate and key as they are now.
   *
   * @throws StorageException INVALID when the files are no certificate and key that fit; IO
   */
  SSLContext serverContext() throws StorageException;
}
