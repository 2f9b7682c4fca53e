package dev.holdfast.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JsonRpcClientTest extends JsonRpcTestBase {
  @Test
  void requestHasVersionMethodNumberAndParameters() throws Exception {
    var unused = client.send("bdev_get_bdevs", object().put("name", "lvs/r1"), LONG);
    JsonNode request = peer.request();
    assertThat(request)
        .isEqualTo(
            object()
                .put("jsonrpc", "2.0")
                .put("method", "bdev_get_bdevs")
                .put("id", request.get("id").intValue())
                .set("params", object().put("name", "lvs/r1")));
  }

  @Test
  void callWithoutParametersSendsNone() throws Exception {
    var unused = send("spdk_get_version");
    assertThat(peer.request().has("params")).isFalse();
  }

  @Test
  void callReturnsTheResult() throws Exception {
    CompletableFuture<Void> script =
        Peer.beside(() -> peer.answer(peer.request(), "{\"version\":\"26.05\"}"));
    assertThat(client.call("spdk_get_version", LONG).path("version").asText()).isEqualTo("26.05");
    Peer.ended(script);
  }

  /** SPDK v26.05 returns the uuid of a mirror twice. */
  @Test
  void lastOfTwoEqualMembersInsideOfAResultCounts() throws Exception {
    CompletableFuture<JsonNode> answer = send("bdev_raid_get_bdevs");
    peer.answer(peer.request(), "[{\"uuid\":\"a\",\"uuid\":\"b\",\"next\":null}]");
    JsonNode mirror = result(answer).path(0);
    assertThat(mirror.path("uuid").asText()).isEqualTo("b");
    assertThat(mirror.path("next").isNull()).isTrue();
    assertThat(client.isOpen()).isTrue();
  }

  @Test
  void refusalHasCodeAndMessageOfThePeer() throws Exception {
    CompletableFuture<JsonNode> answer = send("bdev_aio_create");
    peer.send(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + peer.request().get("id")
            + ",\"error\":{\"code\":-17,\"message\":\"File exists\",\"data\":[1]}}");
    StorageException failure = failure(answer);
    assertThat(failure).hasMessage("target t1: bdev_aio_create: refused: File exists (-17)");
    assertThat(failure)
        .isInstanceOfSatisfying(
            JsonRpcException.class,
            refusal -> {
              assertThat(refusal.rpcCode()).isEqualTo(-17);
              assertThat(refusal.rpcMessage()).isEqualTo("File exists");
            });
    assertThat(client.isOpen()).isTrue();
  }

  @Test
  void answersReachTheirCallsInAnyOrder() throws Exception {
    List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
    List<JsonNode> requests = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(send("method" + i));
      requests.add(peer.request());
    }
    StringBuilder together = new StringBuilder();
    for (int i = 49; i >= 0; i--) {
      together.append(Peer.result(requests.get(i), requests.get(i).get("method").toString()));
    }
    peer.send(together.toString());
    for (int i = 0; i < 50; i++) {
      assertThat(result(answers.get(i)).textValue()).isEqualTo("method" + i);
    }
  }

  @Test
  void messageArrivesInPiecesOfOneByte() throws Exception {
    String text = "brackets }]{[ quote \\\" backslash \\\\ euro \u20ac clef \ud834\udd1e";
    CompletableFuture<JsonNode> answer = send("m");
    String message =
        " \n\t" + Peer.result(peer.request(), "{\"a\":[\"" + text + "\",{}]}") + "\r\n";
    for (byte next : message.getBytes(StandardCharsets.UTF_8)) {
      peer.send(new byte[] {next});
    }
    assertThat(result(answer).path("a").path(0).textValue())
        .isEqualTo(text.replace("\\\"", "\"").replace("\\\\", "\\"));
  }

  @Test
  void largeMessageArrives() throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    peer.answer(peer.request(), "\"" + "x".repeat(3 << 20) + "\"");
    assertThat(result(answer).textValue()).hasSize(3 << 20);
  }

  @Test
  void notificationsReachTheListenerBetweenAnswers() throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    peer.send(
        "{\"jsonrpc\":\"2.0\",\"method\":\"bdev_register\",\"params\":{\"name\":\"a\"}}"
            + "{\"jsonrpc\":\"2.0\",\"method\":\"bdev_unregister\"}");
    peer.answer(peer.request(), "true");
    result(answer);
    assertThat(notifications)
        .extracting(JsonRpcNotification::method)
        .containsExactly("bdev_register", "bdev_unregister");
    assertThat(notifications.get(0).params().path("name").textValue()).isEqualTo("a");
    assertThat(notifications.get(1).params().isMissingNode()).isTrue();
  }

  @Test
  void lateAnswerIsIgnoredAfterTimeOut() throws Exception {
    CompletableFuture<JsonNode> answer = client.send("slow", object(), Duration.ofMillis(1));
    assertFailed(answer, ErrorCode.TIMEOUT, "target t1: slow: no answer in 1 ms");
    JsonNode late = peer.request();
    CompletableFuture<JsonNode> next = send("next");
    peer.answer(late, "\"late\"");
    peer.answer(peer.request(), "\"next\"");
    assertThat(result(next).textValue()).isEqualTo("next");
  }

  @Test
  void answerOfCancelledCallIsIgnored() throws Exception {
    CompletableFuture<JsonNode> answer = send("cancelled");
    JsonNode cancelled = peer.request();
    assertThat(answer.cancel(false)).isTrue();
    CompletableFuture<JsonNode> next = send("next");
    peer.answer(cancelled, "\"late\"");
    peer.answer(peer.request(), "\"next\"");
    assertThat(result(next).textValue()).isEqualTo("next");
  }

  @Test
  void interruptCancelsTheCall() throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                client.call("m", LONG);
                interrupted.complete(false);
              } catch (StorageException e) {
                interrupted.complete(
                    e.code() == ErrorCode.TIMEOUT && Thread.currentThread().isInterrupted());
              }
            });
    caller.start();
    JsonNode request = peer.request();
    caller.interrupt();
    assertThat(interrupted.get()).isTrue();
    CompletableFuture<JsonNode> next = send("next");
    peer.answer(request, "1");
    peer.answer(peer.request(), "2");
    assertThat(result(next).intValue()).isEqualTo(2);
  }

  @Test
  void closeFailsCallsInFlightAndLaterOnes() {
    CompletableFuture<JsonNode> answer = send("m");
    client.close();
    assertFailed(answer, ErrorCode.UNREACHABLE, "target t1: m: connection lost: it was closed");
    assertFailed(send("later"), ErrorCode.UNREACHABLE, "target t1: later: connection lost");
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void connectFailsWhereNothingListens() {
    assertThatThrownBy(() -> JsonRpcClient.connect("target t1", Path.of("/nowhere/s.sock")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("target t1: socket /nowhere/s.sock")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void connectRefusesPathThatIsTooLong() {
    assertThatThrownBy(() -> JsonRpcClient.connect("t", Path.of("/" + "x".repeat(107))))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("longer than 107 bytes")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.INVALID);
  }
}
