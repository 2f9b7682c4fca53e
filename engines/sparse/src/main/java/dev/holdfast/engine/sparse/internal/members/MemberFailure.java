package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * Failure of one member in a request to all.
 *
 * @param member the failed member
 * @param cause cause of the failure
 * @param done bytes of the request that it certainly wrote
 */
public record MemberFailure(Member member, StorageException cause, long done) {

  boolean away() {
    return cause.code() == ErrorCode.UNREACHABLE || cause.code() == ErrorCode.TIMEOUT;
  }

  /** Returns whether the failure may end without a repair; the last member is not dropped then. */
  boolean passing() {
    return away() || noSpace();
  }

  boolean noSpace() {
    return cause.code() == ErrorCode.NO_SPACE;
  }
}
