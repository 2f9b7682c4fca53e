package dev.holdfast.frontend.nvmeof.internal.wire;

/** The host does not follow the transport's protocol: the connection has to end. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  private final TermRequest answer;

  /**
   * Creates an exception.
   *
   * @param status of {@link TermRequest}
   * @param information of {@link TermRequest}
   * @param message for the log
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
