package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Signs the certificates of the cluster's nodes. Exists where the authority's key is. Thread-safe.
 */
@ProviderType
public interface NodeAuthority {
  /**
   * Returns the authority's certificate as PEM, never null.
   *
   * @throws StorageException IO
   */
  String certificate() throws StorageException;

  /**
   * Signs a certificate request. The caller checks whether the node may have these names.
   *
   * @param request request of a node, not null
   * @return the certificate as PEM, never null
   * @throws StorageException UNSUPPORTED when the authority's key is not on this node; INVALID when
   *     the key does not match; IO
   */
  String sign(CertificateRequest request) throws StorageException;
}
