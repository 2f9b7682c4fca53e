package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.ExtensionResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** Keeps an answer. */
final class FakeResponse implements ExtensionResponse {
  int code;
  Map<String, String> headers = Map.of();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  @Override
  public OutputStream begin(int newCode, String type, long length, Map<String, String> more) {
    code = newCode;
    headers = more;
    return body;
  }

  JsonNode json() throws IOException {
    return new ObjectMapper().readTree(body.toByteArray());
  }

  byte[] bytes() {
    return body.toByteArray();
  }

  /** Returns the secret of the cookie that the answer sets. */
  String secret() {
    String cookie = headers.getOrDefault("Set-Cookie", "");
    return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
  }
}
