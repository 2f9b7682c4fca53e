package dev.holdfast.engine.sparse.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;

/**
 * One member could not do what all were asked to do.
 *
 * @param replica that failed
 * @param cause why
 * @param done bytes of the request that it had written for certain
 */
record MemberFailure(Replica replica, IOException cause, long done) {

  boolean noSpace() {
    return exception().code() == ErrorCode.NO_SPACE;
  }

  StorageException exception() {
    return StorageException.io("replica " + replica.name(), cause);
  }
}
