package dev.holdfast.jsonrpc;

import java.io.IOException;

/** Reports a message from the peer that violates JSON-RPC 2.0 or a limit. Ends the connection. */
final class MessageException extends IOException {
  private static final long serialVersionUID = 1L;

  MessageException(String message) {
    super(message);
  }

  MessageException(String message, Throwable cause) {
    super(message, cause);
  }
}
