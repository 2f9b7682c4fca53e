package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.time.Duration;

/** The transport to replicas on other nodes. Thread-safe. */
public interface ReplicaLinks {

  /** Receives the loss of a link. */
  @FunctionalInterface
  interface Listener {
    /**
     * The link is lost; called once, unless it was closed. From here on it completes no request and
     * touches no buffer: what it did not complete may be sent again over another link.
     */
    void lost(StorageException cause);
  }

  /**
   * Fences the replica on its node and opens a session with the token. Blocks.
   *
   * @param location where the replica is; the far side checks that the path is one of its disks
   * @param token later than all that this engine used for the replica
   * @param timeout for this call and for each control call over the link, but coalescing
   * @param listener receives the loss of the link; not from within this call
   * @throws StorageException CONFLICT when a later engine was admitted, UNREACHABLE or TIMEOUT when
   *     the node does not answer, else as {@link ReplicaHost#fence}
   */
  ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, Listener listener)
      throws StorageException;
}
