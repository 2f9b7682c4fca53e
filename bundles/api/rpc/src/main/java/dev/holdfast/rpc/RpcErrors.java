package dev.holdfast.rpc;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;

/**
 * Conversion of failures to and from gRPC. Other tools read the status; trailers carry the exact
 * code.
 */
public final class RpcErrors {
  private static final Metadata.Key<String> CODE =
      Metadata.Key.of("holdfast-error-code", Metadata.ASCII_STRING_MARSHALLER);

  private RpcErrors() {}

  /**
   * Returns the status for a failure of a service.
   *
   * @param failure the failure, not null
   */
  public static StatusException toStatus(StorageException failure) {
    Metadata trailers = new Metadata();
    trailers.put(CODE, failure.code().name());
    return status(failure.code())
        .withDescription(failure.getMessage())
        .withCause(failure)
        .asException(trailers);
  }

  /**
   * Returns the exception for a failed call.
   *
   * @param what names the call and its node, not null
   * @param failure as thrown by a blocking stub, not null
   */
  public static StorageException fromStatus(String what, StatusRuntimeException failure) {
    return fromStatus(what, failure.getStatus(), failure.getTrailers());
  }

  /** Returns the exception for a failure that a {@code StreamObserver} received. */
  public static StorageException fromStatus(String what, Throwable failure) {
    return fromStatus(what, Status.fromThrowable(failure), Status.trailersFromThrowable(failure));
  }

  private static StorageException fromStatus(String what, Status status, Metadata trailers) {
    String told = trailers == null ? null : trailers.get(CODE);
    if (told == null && status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      // The text of gRPC describes its own channels and is kept for logs.
      return new StorageException(
          ErrorCode.TIMEOUT, what + ": no answer in time", status.asRuntimeException());
    }
    String message =
        status.getDescription() == null ? status.getCode().name() : status.getDescription();
    return new StorageException(
        told == null ? code(status) : parse(told),
        what + ": " + withRoot(message, status.getCause()),
        status.getCause());
  }

  // gRPC reports a lost connection only as "io exception".
  private static String withRoot(String message, Throwable cause) {
    Throwable root = cause;
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    String text = root == null ? null : root.getMessage();
    return text == null || message.contains(text) ? message : message + ": " + text;
  }

  private static boolean closedChannel(Throwable cause) {
    Throwable next = cause;
    while (next != null && !(next instanceof ClosedChannelException)) {
      next = next.getCause();
    }
    return next != null;
  }

  private static ErrorCode parse(String told) {
    try {
      return ErrorCode.valueOf(told);
    } catch (IllegalArgumentException e) {
      // A later release may have more codes.
      return ErrorCode.INTERNAL;
    }
  }

  private static Status status(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> Status.NOT_FOUND;
      case ALREADY_EXISTS -> Status.ALREADY_EXISTS;
      case CONFLICT, BUSY -> Status.ABORTED;
      case INVALID -> Status.INVALID_ARGUMENT;
      case UNSUPPORTED -> Status.UNIMPLEMENTED;
      case NO_SPACE -> Status.RESOURCE_EXHAUSTED;
      case UNREACHABLE -> Status.UNAVAILABLE;
      case TIMEOUT -> Status.DEADLINE_EXCEEDED;
      case EXPIRED -> Status.OUT_OF_RANGE;
      case FORBIDDEN -> Status.PERMISSION_DENIED;
      case IO -> Status.DATA_LOSS;
      case INTERNAL -> Status.INTERNAL;
    };
  }

  /** Returns the code of a status from gRPC itself or from a peer that is not a Holdfast node. */
  private static ErrorCode code(Status status) {
    // gRPC returns this status if a connection closes during the start of a call.
    if (status.getCode() == Status.Code.UNKNOWN && closedChannel(status.getCause())) {
      return ErrorCode.UNREACHABLE;
    }
    return switch (status.getCode()) {
      case UNAVAILABLE, CANCELLED, ABORTED -> ErrorCode.UNREACHABLE;
      case DEADLINE_EXCEEDED -> ErrorCode.TIMEOUT;
      case PERMISSION_DENIED, UNAUTHENTICATED -> ErrorCode.FORBIDDEN;
      case UNIMPLEMENTED -> ErrorCode.UNSUPPORTED;
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> ErrorCode.INVALID;
      case NOT_FOUND -> ErrorCode.NOT_FOUND;
      case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
      case RESOURCE_EXHAUSTED, DATA_LOSS -> ErrorCode.IO;
      case OK, UNKNOWN, INTERNAL -> ErrorCode.INTERNAL;
    };
  }
}
