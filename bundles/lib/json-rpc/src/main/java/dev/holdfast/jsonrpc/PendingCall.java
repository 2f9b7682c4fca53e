package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An unanswered call. */
final class PendingCall {
  private final String subject;
  private final ByteBuffer request;
  private final Duration patience;
  private final long deadline;
  private final CompletableFuture<JsonNode> answer = new CompletableFuture<>();

  /**
   * @param subject peer and method
   * @param request its bytes, which the connection's thread consumes
   */
  PendingCall(String subject, byte[] request, Duration patience) {
    this.subject = subject;
    this.request = ByteBuffer.wrap(request);
    this.patience = patience;
    this.deadline = System.nanoTime() + patience.toNanos();
  }

  ByteBuffer request() {
    return request;
  }

  CompletableFuture<JsonNode> answer() {
    return answer;
  }

  /** Returns the time until the deadline, negative after it. */
  long nanosLeft() {
    return deadline - System.nanoTime();
  }

  /** Completes the call with the response. */
  void answered(JsonNode message) {
    JsonNode error = message.path("error");
    if (error.isMissingNode()) {
      answer.complete(message.path("result"));
    } else {
      answer.completeExceptionally(
          new JsonRpcException(
              subject, error.path("code").intValue(), error.path("message").textValue()));
    }
  }

  void timedOut() {
    fail(
        ErrorCode.TIMEOUT,
        "no answer in "
            + patience.toMillis()
            + " ms: it is not known whether the call took effect: check the peer",
        null);
  }

  void lost(String reason, Throwable cause) {
    fail(
        ErrorCode.UNREACHABLE,
        "connection lost: "
            + reason
            + ": it is not known whether the call took effect: connect again",
        cause);
  }

  void fail(ErrorCode code, String problem, Throwable cause) {
    answer.completeExceptionally(new StorageException(code, subject + ": " + problem, cause));
  }
}
