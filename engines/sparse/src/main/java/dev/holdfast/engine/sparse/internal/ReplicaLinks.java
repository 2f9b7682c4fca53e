package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;

/** The transport to replicas on other nodes. Thread-safe. */
interface ReplicaLinks {

  /** Told when a link can carry nothing any more. */
  @FunctionalInterface
  interface Listener {
    /**
     * The link is lost; told once, unless it was closed. From here on it completes no request and
     * touches no buffer: what it did not complete may be sent again over another link.
     */
    void lost(StorageException cause);
  }

  /**
   * Fences the replica on its node and opens a session with the token. Blocks, no longer than some
   * seconds.
   *
   * @param location where the replica is; the far side checks that the path is one of its disks
   * @param token later than all that this engine used for the replica
   * @throws StorageException CONFLICT when a later engine was let in, UNREACHABLE or TIMEOUT when
   *     the node does not answer, else as {@link ReplicaHost#fence}
   */
  ReplicaLink connect(ReplicaLocation location, Token token, Listener listener)
      throws StorageException;
}
