package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One answer of a document.
 *
 * @param contentType of the body
 * @param headers further ones
 * @param body as it was sent
 */
record DocumentCall(String contentType, Map<String, String> headers, ByteArrayOutputStream body) {

  static DocumentCall get(ApiDocument document, String groups, Map<String, String> headers)
      throws Exception {
    return call(document, groups.isEmpty() ? Map.of() : Map.of("group", groups), headers);
  }

  static DocumentCall ofVolume(ApiDocument document, String volume) throws Exception {
    return call(document, Map.of("volume", volume), Map.of());
  }

  private static DocumentCall call(
      ApiDocument document, Map<String, String> parameters, Map<String, String> headers)
      throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    StringBuilder type = new StringBuilder();
    Map<String, String> sent = new TreeMap<>();
    document.handle(
        new ExtensionRequest(
            "GET",
            "",
            parameters,
            name -> Optional.ofNullable(headers.get(name)),
            InputStream.nullInputStream()),
        (code, contentType, length, further) -> {
          if (code != 200) {
            throw new IllegalStateException("code " + code);
          }
          type.append(contentType);
          sent.putAll(further);
          return body;
        });
    return new DocumentCall(type.toString(), sent, body);
  }

  String text() {
    return body.toString(StandardCharsets.UTF_8);
  }
}
