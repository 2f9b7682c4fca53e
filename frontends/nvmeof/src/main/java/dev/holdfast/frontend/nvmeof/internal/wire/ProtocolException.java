package dev.holdfast.frontend.nvmeof.internal.wire;

/** Reports a violation of the transport's protocol: the connection must end. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  private final TermRequest answer;

  /**
   * Creates an exception.
   *
   * @param status status of {@link TermRequest}
   * @param information information of {@link TermRequest}
   * @param message message for the log
   */
  public ProtocolException(int status, long information, String message) {
    super(message);
    this.answer = new TermRequest(status, information);
  }

  /** Returns the status for the host. */
  public TermRequest answer() {
    return answer;
  }
}
