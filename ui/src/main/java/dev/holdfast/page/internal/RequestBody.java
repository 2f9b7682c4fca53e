package dev.holdfast.page.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.RootRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Bodies of requests of callers that are not known, which are limited in size and time. */
final class RequestBody {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int LARGEST = 4 << 10;

  /** A client that sends its few bytes one by one does not keep others from signing in. */
  private static final long LIMIT_NANOS = 10_000_000_000L;

  private RequestBody() {}

  /** Returns what the body says; an object without fields when it is not JSON or too long. */
  static JsonNode json(RootRequest request) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[LARGEST];
    long begin = System.nanoTime();
    for (int n = request.body().read(buffer); n >= 0; n = request.body().read(buffer)) {
      body.write(buffer, 0, n);
      if (body.size() > LARGEST) {
        return MAPPER.createObjectNode();
      }
      if (System.nanoTime() - begin > LIMIT_NANOS) {
        throw new IOException("the client sends its request too slowly");
      }
    }
    try {
      return body.size() == 0 ? MAPPER.createObjectNode() : MAPPER.readTree(body.toByteArray());
    } catch (JsonProcessingException e) {
      return MAPPER.createObjectNode();
    }
  }
}
