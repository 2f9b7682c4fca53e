package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.RootRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Answers of the page with the headers that protect it. */
final class PageResponses {
  private static final String POLICY = "Content-Security-Policy";
  private static final Map<String, String> PROTECTION =
      Map.of(
          POLICY,
          policy("'self'"),
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Strict-Transport-Security",
          "max-age=31536000");
  private static final String CACHE = "Cache-Control";
  private static final String NEVER = "no-store";
  private static final String FOREVER = "public, max-age=31536000, immutable";

  private PageResponses() {}

  private static String policy(String scripts) {
    return "default-src 'none'; script-src "
        + scripts
        + "; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self';"
        + " frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
  }

  /**
   * Sends a file in the best encoding that the client takes.
   *
   * @param inlineScript source expression of the one inline script of the file, empty for none
   */
  static void file(
      PageFile file, String inlineScript, RootRequest request, ExtensionResponse response)
      throws IOException {
    Map<String, String> headers = headers(file.isImmutable() ? FOREVER : NEVER);
    if (!inlineScript.isEmpty()) {
      headers.put(POLICY, policy("'self' " + inlineScript));
    }
    headers.put("Vary", "Accept-Encoding");
    String accepted = request.header("Accept-Encoding").orElse("").toLowerCase(Locale.ROOT);
    byte[] body = file.gzip();
    if (accepted.contains("br")) {
      body = file.brotli();
      headers.put("Content-Encoding", "br");
    } else if (accepted.contains("gzip")) {
      headers.put("Content-Encoding", "gzip");
    } else {
      body = file.plain();
    }
    send(response, 200, file.contentType(), body, headers);
  }

  /** Sends a file of a contribution, whose address changes with its content. */
  static void contributed(ExtensionResponse response, String contentType, byte[] content)
      throws IOException {
    send(response, 200, contentType, content, headers(FOREVER));
  }

  /** Sends a JSON document. */
  static void json(ExtensionResponse response, int code, ObjectNode body, Map<String, String> more)
      throws IOException {
    Map<String, String> headers = headers(NEVER);
    headers.putAll(more);
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    send(response, code, "application/json", bytes, headers);
  }

  /**
   * Sends a page of one sentence that leads to the web page: at once when it sets a cookie.
   *
   * @param cookie empty for none
   */
  static void notice(ExtensionResponse response, int code, String sentence, String cookie)
      throws IOException {
    Map<String, String> headers = headers(NEVER);
    String refresh = "";
    if (!cookie.isEmpty()) {
      headers.put("Set-Cookie", cookie);
      refresh = "<meta http-equiv=\"refresh\" content=\"0;url=../../\">";
    }
    String page =
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
            + refresh
            + "<title>Holdfast</title></head><body><p>"
            + escaped(sentence)
            + "</p><p><a href=\"../../\">Continue</a></p></body></html>";
    send(
        response, code, "text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** Refuses in one sentence, as the API does. */
  static void refusal(ExtensionResponse response, int code, String reason, String message)
      throws IOException {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("kind", "Status").put("apiVersion", "v1").put("status", "Failure");
    status.put("message", message).put("reason", reason).put("code", code);
    json(response, code, status, Map.of());
  }

  static void redirect(ExtensionResponse response, String address) throws IOException {
    Map<String, String> headers = headers(NEVER);
    headers.put("Location", address);
    send(response, 302, "text/plain", new byte[0], headers);
  }

  private static Map<String, String> headers(String cache) {
    Map<String, String> headers = new TreeMap<>(PROTECTION);
    headers.put(CACHE, cache);
    return headers;
  }

  private static void send(
      ExtensionResponse response, int code, String type, byte[] body, Map<String, String> headers)
      throws IOException {
    try (OutputStream out = response.begin(code, type, body.length, headers)) {
      out.write(body);
    }
  }
}
