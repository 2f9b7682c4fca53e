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
  /** The request itself is wrong; the message names the field and what was expected. */
  INVALID(false),
  /** The object or plugin cannot do this, now or later. */
  UNSUPPORTED(false),
  /** No space is left, or a limit on space was reached; may succeed once space returns. */
  NO_SPACE(true),
  /** The object is in use in a way that forbids this now. */
  BUSY(true),
  /** A peer cannot be reached. It is not known whether the peer acted. */
  UNREACHABLE(true),
  /** No answer in time. It is not known whether the operation took place. */
  TIMEOUT(true),
  /** A point in history (a watch's resourceVersion) is no longer kept; list again. */
  EXPIRED(true),
  /** The caller is not allowed to do this, or its token or generation was superseded. */
  FORBIDDEN(false),
  /** A device or file failed; the data may be unreadable or unwritten. */
  IO(false),
  /** A defect of ours. */
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
