package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Requests and messages as bytes (JSON-RPC 2.0 sections 4 and 5). Thread-safe. */
final class MessageFormat {
  private static final String VERSION = "2.0";

  private final ObjectMapper json;

  MessageFormat(JsonRpcLimits limits) {
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder().maxStringLength(limits.messageBytes()).build())
            .build();
    json =
        new ObjectMapper(factory)
            .setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));
  }

  /** Returns the bytes of a request. */
  byte[] request(long id, String method, JsonNode params) {
    ObjectNode request = json.createObjectNode();
    request.put("jsonrpc", VERSION).put("method", method).put("id", id);
    if (!params.isMissingNode()) {
      request.set("params", params);
    }
    return request.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a message from the peer after the checks that responses and notifications share. */
  JsonNode message(byte[] bytes) throws MessageException {
    JsonNode message;
    try {
      message =
          parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw new MessageException("a message is not UTF-8", e);
    } catch (JsonProcessingException e) {
      throw new MessageException("a message is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new MessageException("a message could not be read: " + e.getMessage(), e);
    }
    if (!VERSION.equals(message.path("jsonrpc").textValue())) {
      throw new MessageException("a message does not say jsonrpc 2.0");
    }
    return message;
  }

  /**
   * Parses a message. A member of the message itself must not occur twice. Within a result the last
   * one counts: SPDK v26.05 returns the {@code uuid} of a mirror twice.
   */
  private JsonNode parse(String text) throws IOException {
    try (JsonParser parser = json.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return MissingNode.getInstance();
      }
      ObjectNode message = json.createObjectNode();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (message.has(name)) {
          throw new JsonParseException(parser, "Duplicate field '" + name + "'");
        }
        JsonToken unused = parser.nextToken();
        message.set(name, json.readTree(parser));
      }
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "Trailing token");
      }
      return message;
    }
  }

  /** Returns the number of the call to which a response belongs. */
  static long id(JsonNode answer) throws MessageException {
    JsonNode id = answer.path("id");
    if (id.isNull() && answer.has("error")) {
      throw new MessageException(
          "the peer could not read a request: " + answer.path("error").path("message").asText());
    }
    if (!id.isIntegralNumber() || !id.canConvertToLong()) {
      throw new MessageException("an answer has the id " + id + ", which no call has");
    }
    return id.longValue();
  }

  /** Checks that a response has a result or a complete error. */
  static void requireOutcome(JsonNode answer) throws MessageException {
    if (answer.has("result") == answer.has("error")) {
      throw new MessageException("an answer must have either result or error");
    }
    JsonNode error = answer.path("error");
    if (answer.has("error")
        && !(error.path("code").canConvertToInt()
            && error.path("code").isIntegralNumber()
            && error.path("message").isTextual())) {
      throw new MessageException("an error must have an integer code and a text message");
    }
  }
}
