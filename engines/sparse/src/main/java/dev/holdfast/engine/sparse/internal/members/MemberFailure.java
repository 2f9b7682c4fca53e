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

  /** Returns whether it may be over by itself: then nobody chooses, if there is no one else. */
  boolean passing() {
    return away() || noSpace();
  }

  boolean noSpace() {
    return cause.code() == ErrorCode.NO_SPACE;
  }
}
