package dev.holdfast.page.contribution.testkit;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The API of a node with a few constant resources. Thread-safe. */
final class FewResources implements AutoCloseable {
  private static final String JSON = "application/json";
  private static final String KINDS = "/apis/holdfast.dev/v1";
  private static final String ALL_RIGHTS =
      "{\"status\": {\"resourceRules\": [{\"verbs\": [\"*\"], \"apiGroups\": [\"*\"], \"resources\": [\"*\"]}]}}";
  private static final List<String> SERVED =
      List.of("volumes", "volumeattachments", "nodes", "backingimages", "events", "settings");

  private final Map<String, List<String>> resources;
  private final ShownContribution shown;
  private final CountDownLatch closed = new CountDownLatch(1);

  FewResources(Map<String, List<String>> resources, ShownContribution shown) {
    this.resources = Map.copyOf(resources);
    this.shown = shown;
  }

  @Override
  public void close() {
    closed.countDown();
  }

  void answer(String path, HttpExchange exchange) throws IOException {
    String rest = path.startsWith(KINDS) ? path.substring(KINDS.length()) : path;
    if (rest.isEmpty()) {
      PageServer.send(exchange, JSON, kinds());
    } else if (rest.equals("/watch")) {
      watch(exchange);
    } else if (rest.endsWith("/selfsubjectaccessreviews")) {
      PageServer.send(exchange, JSON, "{\"status\": {\"allowed\": " + shown.isReadable() + "}}");
    } else if (rest.endsWith("/selfsubjectrulesreviews")) {
      PageServer.send(exchange, JSON, ALL_RIGHTS);
    } else if (rest.equals("/livez")) {
      PageServer.send(exchange, "text/plain", "ok");
    } else if (rest.matches("/[a-z]+")) {
      List<String> items = resources.getOrDefault(rest.substring(1), List.of());
      PageServer.send(
          exchange,
          JSON,
          "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": ["
              + String.join(",", items)
              + "]}");
    } else {
      notFound(exchange);
    }
  }

  private String kinds() {
    return Stream.concat(SERVED.stream(), resources.keySet().stream())
        .distinct()
        .map(kind -> "{\"name\": \"" + kind + "\"}")
        .collect(Collectors.joining(",", "{\"resources\": [", "]}"));
  }

  /** Keeps the stream of changes open without sending changes. */
  private void watch(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().flush();
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void notFound(HttpExchange exchange) throws IOException {
    byte[] body =
        "{\"code\": 404, \"reason\": \"NotFound\", \"message\": \"not found\"}"
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", JSON);
    exchange.sendResponseHeaders(404, body.length);
    exchange.getResponseBody().write(body);
  }
}
