package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * One member could not do what all were asked to do.
 *
 * @param member that failed
 * @param cause why
 * @param done bytes of the request that it had written for certain
 */
public record MemberFailure(Member member, StorageException cause, long done) {

  boolean away() {
    return cause.code() == ErrorCode.UNREACHABLE || cause.code() == ErrorCode.TIMEOUT;
  }

  /** Returns whether it may end by itself: then the last member is not dropped. */
  boolean passing() {
    return away() || noSpace();
  }

  boolean noSpace() {
    return cause.code() == ErrorCode.NO_SPACE;
  }
}
