package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** The blob managers of the other nodes of a shared group. Calls block. Thread-safe. */
@ProviderType
public interface PoolPeers {
  /**
   * Returns whether the blob manager of a node answers.
   *
   * @param node name of the node
   */
  boolean isReachable(String node);

  /**
   * Lets a node make the steps that are its own about a pool; see {@link
   * SharedBlobManager#advance}.
   *
   * @param node name of the node
   * @param group name of the volume group
   * @param pool identifier of the pool
   * @throws StorageException UNREACHABLE or TIMEOUT when the node does not answer; what the node
   *     failed with
   */
  void advance(String node, String group, String pool) throws StorageException;

  /**
   * Makes a call on another node; see {@link SharedBlobManager#perform}.
   *
   * @param node name of the node
   * @param call to make there
   * @throws StorageException UNREACHABLE or TIMEOUT when the node does not answer; what the call
   *     failed with
   */
  void perform(String node, BlobCall call) throws StorageException;
}
