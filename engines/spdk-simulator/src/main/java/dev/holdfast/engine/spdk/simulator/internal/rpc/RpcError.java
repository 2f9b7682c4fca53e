package dev.holdfast.engine.spdk.simulator.internal.rpc;

/** The error object of an answer. */
public final class RpcError extends Exception {
  private static final long serialVersionUID = 1L;

  private static final int INVALID_PARAMS = -32602;
  private static final int INTERNAL = -32603;

  private final int code;

  /** Creates an error with any code. */
  public RpcError(int code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns an error whose code is the negative error number. */
  public static RpcError of(Errno errno) {
    return new RpcError(-errno.number(), errno.text());
  }

  /** As {@link #of(Errno)}, with another text. */
  public static RpcError of(Errno errno, String message) {
    return new RpcError(-errno.number(), message);
  }

  /** Returns the error of calls that complete later in SPDK: -32602 with the text of the number. */
  public static RpcError later(ErrnoException cause) {
    return new RpcError(INVALID_PARAMS, cause.errno().text());
  }

  /** Returns the refusal of parameters that have the right types. */
  public static RpcError invalid() {
    return invalid("Invalid parameters");
  }

  /** Returns a refusal of parameters with its own text. */
  public static RpcError invalid(String message) {
    return new RpcError(INVALID_PARAMS, message);
  }

  /** Returns an internal error of the target. */
  public static RpcError internal(String message) {
    return new RpcError(INTERNAL, message);
  }

  int code() {
    return code;
  }
}
