package dev.holdfast.frontend.testkit;

import java.io.IOException;

/** The server answered a request with an error. */
public final class RequestFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String status;

  /**
   * Creates an exception.
   *
   * @param status the protocol's name of the error, not null
   */
  public RequestFailedException(String status) {
    super("the server answered " + status);
    this.status = status;
  }

  /** Returns the protocol's name of the error, never null. */
  public String status() {
    return status;
  }
}
