package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.time.Duration;

/** Transport to replicas on other nodes. Thread-safe. */
public interface ReplicaLinks {

  /** Receives the loss of a link. */
  @FunctionalInterface
  interface Listener {
    /**
     * Reports the loss of the link; called once, unless the link was closed. From then on the link
     * completes no request and accesses no buffer: unanswered requests may be sent again over
     * another link.
     */
    void lost(StorageException cause);
  }

  /**
   * Fences the replica on its node and opens a session with the token. Blocks.
   *
   * @param location place of the replica; the other node checks that the path is on one of its
   *     disks
   * @param token later than all tokens that this engine used for the replica
   * @param timeout for this call and for each control call over the link, except coalescing
   * @param listener receives the loss of the link; never called from within this call
   * @throws StorageException CONFLICT when a later engine was admitted, UNREACHABLE or TIMEOUT when
   *     the node does not answer, else as {@link ReplicaHost#fence}
   */
  ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, Listener listener)
      throws StorageException;
}
