package dev.holdfast.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostilePeerTest extends JsonRpcTestBase {
  private static final JsonRpcLimits SMALL = new JsonRpcLimits(8_000_000, 4_096, 8, 3);

  @Override
  JsonRpcLimits limits() {
    return SMALL;
  }

  /** The first call has number 1. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "HTTP/1.1 400|must be an object, found byte 0x48",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}]|must be an object",
        "{\"jsonrpc\":\"2.0\" \"id\":1}|not JSON",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[}|closes another kind",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"result\":1}|not JSON: Duplicate",
        "{\"id\":1,\"result\":1}|jsonrpc 2.0",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":1}|jsonrpc 2.0",
        "{\"jsonrpc\":\"2.0\",\"id\":1}|either result or error",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}|either result or error",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}|integer code",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}|integer code",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":5}}|text message",
        "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":1}|the id \"1\"",
        "{\"jsonrpc\":\"2.0\",\"id\":1e999,\"result\":1}|which no call has",
        "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"result\":1}|which no call has",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}|the id 0",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":1}|the id 2",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse\"}}|could"
            + " not read a request: Parse",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"run\"}|this side has no methods",
        "{\"jsonrpc\":\"2.0\",\"method\":7}|text as method",
        "{\"a\":[[[[[[[[1]]]]]]]]}|nested deeper than 8",
      })
  void messageThatTheProtocolForbidsEndsTheConnection(String message, String problem)
      throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    peer.request();
    peer.send(message);
    assertFailed(answer, ErrorCode.UNREACHABLE, problem);
    assertThat(client.isOpen()).isFalse();
    assertFailed(send("later"), ErrorCode.UNREACHABLE, "target t1: later: connection lost");
  }

  @Test
  void textThatIsNotUtf8EndsTheConnection() throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    byte[] message = Peer.result(peer.request(), "\"x\"").getBytes(StandardCharsets.UTF_8);
    message[message.length - 3] = (byte) 0xff;
    peer.send(message);
    assertFailed(answer, ErrorCode.UNREACHABLE, "not UTF-8");
  }

  @Test
  void messageOverTheLimitEndsTheConnection() throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    peer.request();
    peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "x".repeat(SMALL.messageBytes()));
    assertFailed(answer, ErrorCode.UNREACHABLE, "more than 4096 bytes");
  }

  @Test
  void messageAtTheLimitArrives() throws Exception {
    CompletableFuture<JsonNode> answer = send("m");
    JsonNode request = peer.request();
    int frame = Peer.result(request, "\"\"").length();
    peer.answer(request, "\"" + "x".repeat(SMALL.messageBytes() - frame) + "\"");
    assertThat(result(answer).textValue()).hasSize(SMALL.messageBytes() - frame);
  }

  @Test
  void endWithinAMessageFailsTheCalls() throws Exception {
    CompletableFuture<JsonNode> first = send("first");
    CompletableFuture<JsonNode> second = send("second");
    peer.request();
    peer.request();
    peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"res");
    peer.hangUp();
    assertFailed(first, ErrorCode.UNREACHABLE, "closed it within a message");
    assertFailed(second, ErrorCode.UNREACHABLE, "not known whether the call took effect");
  }

  @Test
  void secondAnswerToOneCallIsIgnored() throws Exception {
    CompletableFuture<JsonNode> first = send("first");
    JsonNode request = peer.request();
    peer.send(Peer.result(request, "1") + Peer.result(request, "2"));
    assertThat(result(first).intValue()).isEqualTo(1);
    CompletableFuture<JsonNode> next = send("next");
    peer.answer(peer.request(), "3");
    assertThat(result(next).intValue()).isEqualTo(3);
  }

  @Test
  void failingListenerEndsTheConnection() throws Exception {
    try (Peer other = new Peer();
        JsonRpcClient failing =
            JsonRpcClient.connect(
                "t",
                other.socket(),
                SMALL,
                notification -> {
                  throw new IllegalStateException("listener broke");
                })) {
      other.accept();
      CompletableFuture<JsonNode> answer = failing.send("m", object(), LONG);
      other.send("{\"jsonrpc\":\"2.0\",\"method\":\"n\"}");
      assertFailed(answer, ErrorCode.UNREACHABLE, "listener broke");
    }
  }

  @Test
  void peerThatNeverReadsDelaysNoDeadline() {
    JsonNode large = object().put("x", "x".repeat(7_900_000));
    List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      answers.add(client.send("m", large, Duration.ofMillis(50)));
    }
    answers.forEach(answer -> assertFailed(answer, ErrorCode.TIMEOUT, "no answer in 50 ms"));
    assertThat(client.isOpen()).isTrue();
  }

  /** The socket accepts less than one request. */
  @Test
  void cancelledRequestIsNotSentWhenNoByteOfItWas() throws Exception {
    JsonNode large = object().put("x", "x".repeat(7_900_000));
    CompletableFuture<JsonNode> first = client.send("first", large, LONG);
    CompletableFuture<JsonNode> second = client.send("second", large, LONG);
    CompletableFuture<JsonNode> third = client.send("third", large, LONG);
    assertThat(third.cancel(false)).isTrue();
    CompletableFuture<JsonNode> last = send("last");
    List<String> methods = new ArrayList<>();
    for (CompletableFuture<JsonNode> answer : List.of(first, second, last)) {
      JsonNode request = peer.request();
      methods.add(request.path("method").textValue());
      peer.answer(request, "true");
      result(answer);
    }
    assertThat(methods).containsExactly("first", "second", "last");
  }

  @Test
  void callOverTheLimitIsRefusedUntilOneEnds() throws Exception {
    List<CompletableFuture<JsonNode>> answers = List.of(send("1"), send("2"), send("3"));
    assertFailed(send("4"), ErrorCode.BUSY, "3 calls wait for answers already");
    peer.answer(peer.request(), "true");
    result(answers.get(0));
    answers.get(1).cancel(false);
    CompletableFuture<JsonNode> fifth = send("5");
    peer.request();
    peer.request();
    peer.answer(peer.request(), "5");
    assertThat(result(fifth).intValue()).isEqualTo(5);
  }

  @Test
  void refusedRequestsSendNothing() throws Exception {
    assertFailed(
        client.send("large", object().put("x", "x".repeat(8_000_000)), LONG),
        ErrorCode.INVALID,
        "limit is 8000000");
    assertFailed(
        client.send("text", TextNode.valueOf("x"), LONG), ErrorCode.INVALID, "params: must be");
    var unused = send("next");
    assertThat(peer.request().path("method").textValue()).isEqualTo("next");
  }

  @Test
  void connectFailsWhenThePeerNeverAccepts() throws Exception {
    List<JsonRpcClient> waiting = new ArrayList<>();
    try (Peer deaf = new Peer()) {
      for (int i = 0; i < 10; i++) {
        waiting.add(JsonRpcClient.connect("deaf", deaf.socket()));
      }
      throw new AssertionError("ten connections fit into a queue of one");
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(e).hasMessageContaining("check that the peer runs");
    } finally {
      waiting.forEach(JsonRpcClient::close);
    }
    assertThat(waiting).isNotEmpty();
  }
}
