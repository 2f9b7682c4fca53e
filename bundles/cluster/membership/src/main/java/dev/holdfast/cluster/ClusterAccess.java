package dev.holdfast.cluster;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import org.osgi.annotation.versioning.ProviderType;

/** Actions of an administrator on the members of the cluster. Thread-safe. */
@ProviderType
public interface ClusterAccess {
  /**
   * Creates a token with which one node can join.
   *
   * @param validity duration of its validity, at least a second and at most 30 days
   * @return the token, which is shown only once, never null
   * @throws StorageException INVALID when the validity is out of range; UNSUPPORTED when this node
   *     cannot sign certificates; FORBIDDEN, UNREACHABLE, IO
   */
  IssuedToken newToken(Duration validity) throws StorageException;

  /**
   * Revokes a node's credential: its later requests are refused. Has no effect on a node without a
   * credential.
   *
   * @param node the name of the node, not null
   * @throws StorageException INVALID when the node has the store; FORBIDDEN, UNREACHABLE, IO
   */
  void revoke(String node) throws StorageException;

  /** Returns the replacement of the cluster's authority, never null. */
  ClusterRotation rotation();
}
