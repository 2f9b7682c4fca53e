package dev.holdfast.jsonrpc;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * Refusal of a call by the peer: the error object of its response. The code of this exception is
 * {@link ErrorCode#IO}; a caller that knows the peer's codes maps {@link #rpcCode} to a more
 * specific one.
 */
public final class JsonRpcException extends StorageException {
  private static final long serialVersionUID = 1L;

  private final int rpcCode;
  private final String rpcMessage;

  /**
   * Creates an exception.
   *
   * @param subject peer and method, the beginning of the message, not null
   * @param rpcCode code of the error object
   * @param rpcMessage message of the error object, not null
   */
  public JsonRpcException(String subject, int rpcCode, String rpcMessage) {
    super(ErrorCode.IO, subject + ": refused: " + rpcMessage + " (" + rpcCode + ")");
    this.rpcCode = rpcCode;
    this.rpcMessage = rpcMessage;
  }

  /** Returns the code from the peer, as defined by JSON-RPC 2.0 section 5.1 or the peer. */
  public int rpcCode() {
    return rpcCode;
  }

  /** Returns the text from the peer, never null. */
  public String rpcMessage() {
    return rpcMessage;
  }
}
