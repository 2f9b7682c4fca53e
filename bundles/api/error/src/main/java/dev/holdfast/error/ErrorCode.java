package dev.holdfast.error;

/**
 * Causes of failures. Every edge (NBD, REST, gRPC, shell) maps them to its protocol by one
 * exhaustive switch.
 */
public enum ErrorCode {
  /** The named object does not exist. */
  NOT_FOUND(false),
  /** An object of that name exists already. */
  ALREADY_EXISTS(false),
  /** The object changed since it was read; read again and retry. */
  CONFLICT(true),
  /** The request is invalid; the message names the field and the expected value. */
  INVALID(false),
  /** The object or plugin does not support the operation. */
  UNSUPPORTED(false),
  /** The space or a limit on space is exhausted. The request may succeed after space was freed. */
  NO_SPACE(true),
  /** The present use of the object forbids the operation. */
  BUSY(true),
  /** A peer cannot be reached. The peer may have executed the request. */
  UNREACHABLE(true),
  /** The answer did not arrive in time. The operation may have been executed. */
  TIMEOUT(true),
  /** The requested point in history (a watch's resourceVersion) was discarded; list again. */
  EXPIRED(true),
  /** The caller has no permission for this operation, or its token or generation was superseded. */
  FORBIDDEN(false),
  /** A device or file failed; the data may be unreadable or unwritten. */
  IO(false),
  /** A defect of the platform. */
  INTERNAL(false);

  private final boolean retryable;

  ErrorCode(boolean retryable) {
    this.retryable = retryable;
  }

  /** Returns whether the same request, unchanged, may succeed later. */
  public boolean retryable() {
    return retryable;
  }
}
