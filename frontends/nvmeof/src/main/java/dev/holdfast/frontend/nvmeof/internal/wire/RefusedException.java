package dev.holdfast.frontend.nvmeof.internal.wire;

/** Refuses a command; the connection continues. */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final long result;

  public RefusedException(int status, String message) {
    this(status, 0, message);
  }

  public RefusedException(int status, long result, String message) {
    super(message);
    this.status = status;
    this.result = result;
  }

  public int status() {
    return status;
  }

  public long result() {
    return result;
  }
}
