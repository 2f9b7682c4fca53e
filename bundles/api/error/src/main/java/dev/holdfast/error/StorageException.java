package dev.holdfast.error;

import java.io.IOException;
import java.util.Objects;

/**
 * The checked exception of all Holdfast APIs: a code, and a message that names the object, the
 * problem and, if one exists, the remedy. Code either logs or throws it, never both.
 */
public class StorageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Creates an exception.
   *
   * @param code kind of failure, not null
   * @param message names the object and the problem, not null
   */
  public StorageException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * Creates an exception with its cause.
   *
   * @param code kind of failure, not null
   * @param message names the object and the problem, not null
   * @param cause the underlying failure, may be null
   */
  public StorageException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = Objects.requireNonNull(code, "code");
  }

  /**
   * Wraps a failed file or socket operation; "no space left on device" and "quota exceeded" become
   * {@link ErrorCode#NO_SPACE}, all other failures {@link ErrorCode#IO}.
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
