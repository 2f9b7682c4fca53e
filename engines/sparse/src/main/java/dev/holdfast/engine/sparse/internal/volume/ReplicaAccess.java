package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;

/** Fences replicas for an opening. */
@FunctionalInterface
public interface ReplicaAccess {
  /**
   * Fences a replica against engines with older tokens, waits until their requests can have no
   * effect, and opens it.
   *
   * @throws StorageException CONFLICT when a later engine was admitted; another code when the
   *     replica is unavailable
   */
  Member fence(ReplicaLocation location, Token token) throws StorageException;
}
