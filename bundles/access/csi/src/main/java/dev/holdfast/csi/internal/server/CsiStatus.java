package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import io.grpc.Status;
import io.grpc.StatusException;

/**
 * The edge's errors: those of the tables in the specification, by name, and the one switch from the
 * platform's codes to the status that the tables give them.
 */
public final class CsiStatus {
  private CsiStatus() {}

  /** A field is missing or wrong. */
  public static StatusException invalid(String field, String problem) {
    return Status.INVALID_ARGUMENT.withDescription(field + ": " + problem).asException();
  }

  /** The object that the call names does not exist. */
  public static StatusException notFound(String message) {
    return Status.NOT_FOUND.withDescription(message).asException();
  }

  /** The object that the call would make exists and is different. */
  public static StatusException alreadyExists(String message) {
    return Status.ALREADY_EXISTS.withDescription(message).asException();
  }

  /** A size that cannot be had. */
  public static StatusException outOfRange(String message) {
    return Status.OUT_OF_RANGE.withDescription(message).asException();
  }

  /** The present state forbids it until an administrator changes that. */
  public static StatusException failedPrecondition(String message) {
    return Status.FAILED_PRECONDITION.withDescription(message).asException();
  }

  /** A limit was reached. */
  public static StatusException exhausted(String message) {
    return Status.RESOURCE_EXHAUSTED.withDescription(message).asException();
  }

  /** Another call for the same object is under way, or a token is none of ours. */
  public static StatusException aborted(String message) {
    return Status.ABORTED.withDescription(message).asException();
  }

  /** Not now; the same call may succeed later. */
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
