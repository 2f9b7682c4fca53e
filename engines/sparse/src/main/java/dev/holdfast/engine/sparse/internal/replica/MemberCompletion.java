package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.StorageException;

/** Receives once the result of a request to one member. Must not block and must not throw. */
@FunctionalInterface
public interface MemberCompletion {
  /**
   * Reports the end of a request; the member no longer uses its buffer.
   *
   * @param failure null on success; NO_SPACE only when lack of space was the only cause
   * @param done bytes that were certainly transferred
   */
  void completed(StorageException failure, long done);
}
