package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import io.grpc.Status;
import io.grpc.StatusException;

/**
 * Errors of CSI: those that the tables in the specification name, and the mapping of the platform's
 * codes to the status of these tables.
 */
public final class CsiStatus {
  private CsiStatus() {}

  /** Returns the error for a missing or invalid field. */
  public static StatusException invalid(String field, String problem) {
    return Status.INVALID_ARGUMENT.withDescription(field + ": " + problem).asException();
  }

  /** Returns the error for an absent object. */
  public static StatusException notFound(String message) {
    return Status.NOT_FOUND.withDescription(message).asException();
  }

  /** Returns the error for an existing object that differs from the request. */
  public static StatusException alreadyExists(String message) {
    return Status.ALREADY_EXISTS.withDescription(message).asException();
  }

  /** Returns the error for an impossible size. */
  public static StatusException outOfRange(String message) {
    return Status.OUT_OF_RANGE.withDescription(message).asException();
  }

  /** Returns the error for a state that only an administrator can change. */
  public static StatusException failedPrecondition(String message) {
    return Status.FAILED_PRECONDITION.withDescription(message).asException();
  }

  /** Returns the error for a reached limit. */
  public static StatusException exhausted(String message) {
    return Status.RESOURCE_EXHAUSTED.withDescription(message).asException();
  }

  /** Returns the error for a concurrent call for the same object, or for an unknown token. */
  public static StatusException aborted(String message) {
    return Status.ABORTED.withDescription(message).asException();
  }

  /** Returns the error for a temporary failure; the same call may succeed later. */
  public static StatusException unavailable(String message) {
    return Status.UNAVAILABLE.withDescription(message).asException();
  }

  /** Returns the status that the caller receives for a failure of the platform. */
  static StatusException of(StorageException failure) {
    return status(failure).withDescription(failure.getMessage()).withCause(failure).asException();
  }

  private static Status status(StorageException failure) {
    return switch (failure.code()) {
      case NOT_FOUND -> Status.NOT_FOUND;
      case ALREADY_EXISTS -> Status.ALREADY_EXISTS;
      case INVALID -> Status.INVALID_ARGUMENT;
      case CONFLICT, EXPIRED -> Status.ABORTED;
      case BUSY, UNSUPPORTED -> Status.FAILED_PRECONDITION;
      case NO_SPACE -> Status.RESOURCE_EXHAUSTED;
      case UNREACHABLE -> Status.UNAVAILABLE;
      case TIMEOUT -> Status.DEADLINE_EXCEEDED;
      case FORBIDDEN -> Status.PERMISSION_DENIED;
      case IO, INTERNAL -> Status.INTERNAL;
    };
  }
}
