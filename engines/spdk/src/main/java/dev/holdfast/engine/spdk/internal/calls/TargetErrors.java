package dev.holdfast.engine.spdk.internal.calls;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.jsonrpc.JsonRpcException;

/**
 * Error codes of refusals. SPDK v26.05 answers with the negative number of Linux, or with a code of
 * JSON-RPC and the text of the number, depending on the method; so both are looked at.
 */
final class TargetErrors {
  private TargetErrors() {}

  static ErrorCode code(JsonRpcException refusal) {
    return switch (refusal.rpcCode()) {
      case -1, -16 -> ErrorCode.BUSY;
      case -2, -19 -> ErrorCode.NOT_FOUND;
      case -17, -114 -> ErrorCode.ALREADY_EXISTS;
      case -22 -> ErrorCode.INVALID;
      case -28 -> ErrorCode.NO_SPACE;
      case -110 -> ErrorCode.TIMEOUT;
      case -32601 -> ErrorCode.UNSUPPORTED;
      case -32602, -32603 -> ofText(refusal.rpcMessage());
      default -> ErrorCode.IO;
    };
  }

  private static ErrorCode ofText(String text) {
    return switch (text) {
      case "No space left on device" -> ErrorCode.NO_SPACE;
      case "File exists" -> ErrorCode.ALREADY_EXISTS;
      case "No such device" -> ErrorCode.NOT_FOUND;
      case "Operation not permitted", "Device or resource busy" -> ErrorCode.BUSY;
      case "Invalid argument", "Invalid parameters" -> ErrorCode.INVALID;
      default -> ErrorCode.IO;
    };
  }
}
