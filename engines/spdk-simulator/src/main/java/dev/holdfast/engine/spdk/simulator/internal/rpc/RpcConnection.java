package dev.holdfast.engine.spdk.simulator.internal.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection to the control socket. */
final class RpcConnection {
  private static final Logger LOG = LoggerFactory.getLogger(RpcConnection.class);
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private final RpcMethods methods;
  private final SocketChannel channel;
  private final ExecutorService threads;

  RpcConnection(RpcMethods methods, SocketChannel channel, ExecutorService threads) {
    this.methods = methods;
    this.channel = channel;
    this.threads = threads;
  }

  /** Serves until the connection ends. */
  void serve() {
    try (channel;
        MappingIterator<JsonNode> requests =
            JSON.readerFor(JsonNode.class).readValues(Channels.newInputStream(channel))) {
      while (requests.hasNextValue()) {
        receive(requests.nextValue());
      }
    } catch (JsonProcessingException e) {
      LOG.debug("request is not JSON", e);
      refuseText();
    } catch (IOException e) {
      LOG.debug("connection ended", e);
    }
  }

  private void refuseText() {
    try {
      write(refusal(NullNode.getInstance(), new RpcError(-32700, "Parse error")));
    } catch (IOException e) {
      LOG.debug("connection ended", e);
    }
  }

  private void receive(JsonNode request) throws IOException {
    if (request.isArray()) {
      ArrayNode answers = JSON.createArrayNode();
      request.forEach(one -> answers.add(answer(one)));
      write(answers);
    } else if (methods.waits(request.path("method").asText())) {
      threads.execute(() -> answerLater(request));
    } else {
      write(answer(request));
    }
  }

  private void answerLater(JsonNode request) {
    try {
      write(answer(request));
    } catch (IOException e) {
      LOG.debug("connection ended before the answer", e);
    }
  }

  private ObjectNode answer(JsonNode request) {
    JsonNode id = request.has("id") ? request.get("id") : NullNode.getInstance();
    if (!request.path("method").isTextual() || !request.path("jsonrpc").asText().equals("2.0")) {
      return refusal(id, new RpcError(-32600, "Invalid request"));
    }
    try {
      ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
      answer.set("id", id);
      answer.set("result", methods.run(request.get("method").textValue(), request.path("params")));
      return answer;
    } catch (RpcError e) {
      return refusal(id, e);
    }
  }

  private static ObjectNode refusal(JsonNode id, RpcError error) {
    ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
    answer.set("id", id);
    answer.putObject("error").put("code", error.code()).put("message", error.getMessage());
    return answer;
  }

  private synchronized void write(JsonNode answer) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((answer + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
