package dev.holdfast.jsonrpc;

/**
 * Limits of one connection. A peer that exceeds a limit loses the connection; a request that
 * exceeds one is refused before any byte of it is sent.
 *
 * @param requestBytes size of a request, at least 64
 * @param messageBytes size of a message from the peer, at least 64
 * @param depth nested objects and arrays in a message from the peer, 4 to 1,000
 * @param calls concurrent unanswered calls, at least 1
 */
public record JsonRpcLimits(int requestBytes, int messageBytes, int depth, int calls) {
  private static final int SMALLEST = 64;
  private static final int DEEPEST = 1_000;

  /** Requests of 1 MiB, messages of 32 MiB, depth 64, 128 calls. */
  public static final JsonRpcLimits DEFAULT = new JsonRpcLimits(1 << 20, 32 << 20, 64, 128);

  /** Checks the ranges. */
  public JsonRpcLimits {
    require("requestBytes", requestBytes, SMALLEST, Integer.MAX_VALUE);
    require("messageBytes", messageBytes, SMALLEST, Integer.MAX_VALUE);
    require("depth", depth, 4, DEEPEST);
    require("calls", calls, 1, Integer.MAX_VALUE);
  }

  private static void require(String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          field + ": must be from " + least + " to " + most + ": " + value);
    }
  }
}
