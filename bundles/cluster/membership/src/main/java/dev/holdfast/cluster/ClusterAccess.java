package dev.holdfast.cluster;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import org.osgi.annotation.versioning.ProviderType;

/** Actions of an administrator on the members of the cluster. Thread-safe. */
@ProviderType
public interface ClusterAccess {
  /**
   * Makes a token by which one node can join.
   *
   * @param validity for how long, at least a second and at most 30 days
   * @return the token, which is shown only once, never null
   * @throws StorageException INVALID when the validity is out of range; UNSUPPORTED when this node
   *     cannot sign certificates; FORBIDDEN, UNREACHABLE, IO
   */
  IssuedToken newToken(Duration validity) throws StorageException;

  /**
   * Takes a node's credential away: from then on its requests are refused. Nothing happens when it
   * has none.
   *
   * @param node the name of the node, not null
   * @throws StorageException INVALID when the node has the store; FORBIDDEN, UNREACHABLE, IO
   */
  void revoke(String node) throws StorageException;

  /** Returns the replacement of the cluster's authority, never null. */
  ClusterRotation rotation();
}
