package dev.holdfast.error;

import java.io.IOException;
import java.util.Objects;

/**
 * The checked exception of all Holdfast APIs: a code, and a message that names the object, the
 * problem and, where the reader has one, the remedy. Either log it or throw it, never both.
 */
public class StorageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Creates an exception.
   *
   * @param code what kind of failure, not null
   * @param message names the object and the problem, not null
   */
  public StorageException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * Creates an exception with its cause.
   *
   * @param code what kind of failure, not null
   * @param message names the object and the problem, not null
   * @param cause the underlying failure, may be null
   */
  public StorageException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = Objects.requireNonNull(code, "code");
  }

  /**
   * Wraps a failed file or socket operation; "no space left on device" and "quota exceeded" become
   * {@link ErrorCode#NO_SPACE}, everything else {@link ErrorCode#IO}.
   *
   * @param what names the object and the operation, not null
   * @param cause the failure, not null
   * @return the exception to throw, never null
   */
  public static StorageException io(String what, IOException cause) {
    String reason = String.valueOf(cause.getMessage());
    boolean full = reason.contains("No space left") || reason.contains("quota exceeded");
    return new StorageException(
        full ? ErrorCode.NO_SPACE : ErrorCode.IO, what + ": " + reason, cause);
  }

  /** Returns the kind of failure, never null. */
  public ErrorCode code() {
    return code;
  }
}
