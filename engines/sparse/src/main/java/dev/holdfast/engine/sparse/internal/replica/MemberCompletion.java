package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.StorageException;

/** Receives once the result of a request to one member. Must not block and must not throw. */
@FunctionalInterface
public interface MemberCompletion {
  /**
   * The request has ended; the member uses its buffer no longer.
   *
   * @param failure null when it succeeded; NO_SPACE when only the lack of space was the reason
   * @param done bytes that were transferred for certain
   */
  void completed(StorageException failure, long done);
}
