package dev.holdfast.frontend.nvmeof.internal;

/** A command is refused; the connection stays. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final long result;

  RefusedException(int status, String message) {
    this(status, 0, message);
  }

  RefusedException(int status, long result, String message) {
    super(message);
    this.status = status;
    this.result = result;
  }

  int status() {
    return status;
  }

  long result() {
    return result;
  }
}
