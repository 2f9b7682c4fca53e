package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.grpc.Status;

/** Converts etcd's failures to store errors. */
final class EtcdErrors {
  private EtcdErrors() {}

  /**
   * Returns the store error. A request that etcd may have carried out nevertheless is UNREACHABLE
   * or TIMEOUT.
   */
  static StorageException of(Throwable cause) {
    Status status = Status.fromThrowable(cause);
    String said = status.getDescription() == null ? "" : status.getDescription();
    return new StorageException(code(status, said), "etcd: " + text(status, said), cause);
  }

  private static String text(Status status, String said) {
    return said.isEmpty() ? status.getCode().toString() : said;
  }

  private static ErrorCode code(Status status, String said) {
    return switch (status.getCode()) {
      case DEADLINE_EXCEEDED -> ErrorCode.TIMEOUT;
      case OUT_OF_RANGE -> said.contains("compacted") ? ErrorCode.EXPIRED : ErrorCode.INVALID;
      case RESOURCE_EXHAUSTED ->
          said.contains("space exceeded") ? ErrorCode.NO_SPACE : ErrorCode.BUSY;
      case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.FORBIDDEN;
      case INVALID_ARGUMENT, FAILED_PRECONDITION ->
          said.contains("user name is empty") ? ErrorCode.FORBIDDEN : ErrorCode.INVALID;
      case UNIMPLEMENTED -> ErrorCode.UNSUPPORTED;
      case OK,
          CANCELLED,
          UNKNOWN,
          NOT_FOUND,
          ALREADY_EXISTS,
          ABORTED,
          INTERNAL,
          UNAVAILABLE,
          DATA_LOSS ->
          ErrorCode.UNREACHABLE;
    };
  }
}
