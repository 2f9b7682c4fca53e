package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;

/** How a starting engine gets at replicas. */
@FunctionalInterface
public interface ReplicaAccess {
  /**
   * Fences a replica against engines with older tokens, waits until their requests can have no
   * effect, and opens it.
   *
   * @throws StorageException CONFLICT when a later engine was admitted; any other code when the
   *     replica cannot be had now
   */
  Member fence(ReplicaLocation location, Token token) throws StorageException;
}
