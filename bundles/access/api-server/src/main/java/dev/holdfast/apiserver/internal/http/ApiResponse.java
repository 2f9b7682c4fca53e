package dev.holdfast.apiserver.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.http.PieceSource;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An answer, independent of the HTTP server. */
public sealed interface ApiResponse {
  /** The media type of JSON. */
  String JSON = "application/json";

  /**
   * A complete answer.
   *
   * @param code HTTP status code
   * @param contentType of the body
   * @param body the bytes
   * @param warnings for the user, sent as Warning headers
   */
  record Content(int code, String contentType, ByteBuffer body, List<String> warnings)
      implements ApiResponse {}

  /**
   * An answer that is produced piece by piece.
   *
   * @param contentType of the stream
   * @param source produces the pieces; always closed, even if never read
   */
  record Streaming(String contentType, PieceSource source) implements ApiResponse {}

  /** Returns a JSON document. */
  static Content json(int code, JsonNode body, List<String> warnings) {
    return new Content(code, JSON, bytes(body.toString()), List.copyOf(warnings));
  }

  /** Returns a text as the body of an answer. */
  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }

  /** Returns a JSON document with code 200. */
  static Content json(JsonNode body) {
    return json(200, body, List.of());
  }

  /** Returns plain text. */
  static Content text(int code, String text) {
    return new Content(code, "text/plain; charset=utf-8", bytes(text), List.of());
  }
}
