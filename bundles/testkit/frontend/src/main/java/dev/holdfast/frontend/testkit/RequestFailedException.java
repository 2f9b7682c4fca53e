package dev.holdfast.frontend.testkit;

import java.io.IOException;

/** Reports that the server answered a request with an error. */
public final class RequestFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String status;

  /**
   * Creates an exception.
   *
   * @param status name of the error in the protocol, not null
   */
  public RequestFailedException(String status) {
    super("the server answered " + status);
    this.status = status;
  }

  /** Returns the name of the error in the protocol, never null. */
  public String status() {
    return status;
  }
}
