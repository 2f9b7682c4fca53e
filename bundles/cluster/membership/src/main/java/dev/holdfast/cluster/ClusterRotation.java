package dev.holdfast.cluster;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** Replacement of the cluster's authority by a new one, for an administrator. Thread-safe. */
@ProviderType
public interface ClusterRotation {
  /**
   * Returns how far the rotation is.
   *
   * @throws StorageException FORBIDDEN, UNREACHABLE, IO
   */
  RotationStatus status() throws StorageException;

  /**
   * Begins a rotation, or continues the one that runs. Nodes follow by themselves; the old
   * authority stays trusted until {@link #finish}.
   *
   * @param force whether to leave behind nodes that have not reported for three minutes: they need
   *     a new join after {@link #finish}
   * @return the state after the call, never null
   * @throws StorageException BUSY when a node has not reported, and {@code force} is not set;
   *     UNSUPPORTED when the key of the authority is shared by a store; FORBIDDEN, UNREACHABLE, IO
   */
  RotationStatus rotate(boolean force) throws StorageException;

  /**
   * Removes the old authority. Certificates that it signed are refused from the next connection on.
   *
   * @param force whether to leave behind nodes that have not reported for three minutes: they need
   *     a new join
   * @return the state after the call, never null
   * @throws StorageException INVALID while no rotation runs; BUSY when a node still needs the old
   *     authority; FORBIDDEN, UNREACHABLE, IO
   */
  RotationStatus finish(boolean force) throws StorageException;
}
