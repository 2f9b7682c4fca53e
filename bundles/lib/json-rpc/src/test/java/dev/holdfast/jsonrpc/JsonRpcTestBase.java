package dev.holdfast.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A connected client and peer. */
abstract class JsonRpcTestBase {
  static final Duration LONG = Duration.ofSeconds(20);

  final List<JsonRpcNotification> notifications = new CopyOnWriteArrayList<>();
  Peer peer;
  JsonRpcClient client;

  JsonRpcLimits limits() {
    return JsonRpcLimits.DEFAULT;
  }

  @BeforeEach
  final void connect() throws Exception {
    peer = new Peer();
    client = JsonRpcClient.connect("target t1", peer.socket(), limits(), notifications::add);
    peer.accept();
  }

  @AfterEach
  final void disconnect() throws Exception {
    client.close();
    peer.close();
  }

  final CompletableFuture<JsonNode> send(String method) {
    return client.send(method, MissingNode.getInstance(), LONG);
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static JsonNode result(CompletableFuture<JsonNode> answer) throws Exception {
    return answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  static StorageException failure(CompletableFuture<JsonNode> answer) {
    ExecutionException failed =
        catchThrowableOfType(
            ExecutionException.class, () -> answer.get(LONG.toSeconds(), TimeUnit.SECONDS));
    assertThat(failed).as("failure of the call").isNotNull();
    return (StorageException) failed.getCause();
  }

  static void assertFailed(CompletableFuture<JsonNode> answer, ErrorCode code, String words) {
    StorageException failure = failure(answer);
    assertThat(failure).hasMessageContaining(words);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
  }
}
