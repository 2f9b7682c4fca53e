package dev.holdfast.page.contribution.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.page.contribution.PageContribution;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

/**
 * Serves the page of this release, the files of one contribution, and the part of a node's API that
 * the page needs. The script of the visit is the first one of the page. Thread-safe.
 */
final class PageServer implements AutoCloseable {
  /** The entry module of the kit, which forwards to that of the contribution. */
  static final String ENTRY = "kit-entry.js";

  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript", "css", "text/css", "html", "text/html", "svg", "image/svg+xml");
  private static final int BEFORE_PATH = 5;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ShownContribution shown;
  private final FewResources api;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final CountDownLatch done = new CountDownLatch(1);

  private PageServer(HttpServer server, ShownContribution shown, FewResources api) {
    this.server = server;
    this.shown = shown;
    this.api = api;
  }

  static PageServer of(PageContribution contribution, Map<String, List<String>> resources)
      throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ShownContribution shown = new ShownContribution(contribution);
    PageServer server = new PageServer(http, shown, new FewResources(resources, shown));
    http.setExecutor(server.threads);
    http.createContext("/", server::answer);
    http.start();
    return server;
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/page/";
  }

  /** Waits for the end of the visit; returns its lines, empty when the limit passes. */
  Optional<List<String>> awaitReport(Duration limit) {
    try {
      return done.await(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? Optional.of(List.copyOf(lines))
          : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  String lastLine() {
    return lines.isEmpty() ? "none" : lines.get(lines.size() - 1);
  }

  @Override
  public void close() {
    api.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      if (path.startsWith("/page/kit/")) {
        step(path.substring("/page/kit/".length()), exchange);
      } else if (path.startsWith("/page/plugins/")) {
        plugin(path.split("/", BEFORE_PATH + 1), exchange);
      } else if (path.startsWith("/page/v1/")) {
        session(path.substring("/page/v1/".length()), exchange);
      } else if (path.startsWith("/page/")) {
        file(path.substring("/page/".length()), exchange);
      } else {
        api.answer(path, exchange);
      }
    }
  }

  /** Records the reports of the visit's script, and executes its requests. */
  private void step(String step, HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    switch (step) {
      case "visit.js" -> send(exchange, "text/javascript", SampleResources.text("visit.js"));
      case "line" -> {
        lines.add(body);
        send(exchange, "text/plain", "");
      }
      case "done" -> {
        lines.add("withheld\t" + (shown.wasRequestedWhileWithheld() ? "no" : "yes"));
        send(exchange, "text/plain", "");
        done.countDown();
      }
      default -> {
        shown.apply(step);
        send(exchange, "text/plain", "");
      }
    }
  }

  private void session(String path, HttpExchange exchange) throws IOException {
    send(
        exchange,
        "application/json",
        path.equals("state")
            ? "{\"page\": \""
                + packed("version")
                + "\", \"contributions\": "
                + shown.listing()
                + "}"
            : "{\"role\": \"admin\"}");
  }

  private void plugin(String[] segments, HttpExchange exchange) throws IOException {
    PageContribution contribution = shown.asked();
    String path = segments.length > BEFORE_PATH ? segments[BEFORE_PATH] : "";
    if (path.equals(ENTRY)) {
      String entry = SampleResources.text(ENTRY).replace("ENTRY", contribution.entryModule());
      send(exchange, TYPES.get("js"), entry);
      return;
    }
    Optional<URL> address = contribution.resource(path);
    if (address.isEmpty()) {
      FewResources.notFound(exchange);
      return;
    }
    try (InputStream in = address.get().openStream()) {
      send(exchange, typeOf(path), new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private void file(String path, HttpExchange exchange) throws IOException {
    String name = path.isEmpty() ? "index.html" : path;
    Optional<byte[]> packed = resource(name + ".gz");
    if (packed.isEmpty()) {
      FewResources.notFound(exchange);
      return;
    }
    byte[] content;
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed.get()))) {
      content = in.readAllBytes();
    }
    if (path.isEmpty()) {
      exchange.getResponseHeaders().set("Content-Security-Policy", policy());
      String index = new String(content, StandardCharsets.UTF_8);
      content =
          index
              .replace("<head>", "<head><script src=\"kit/visit.js\"></script>")
              .getBytes(StandardCharsets.UTF_8);
    }
    exchange.getResponseHeaders().set("Content-Type", typeOf(name));
    exchange.sendResponseHeaders(200, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
  }

  /** Returns the policy that a node sends with the page. */
  private static String policy() throws IOException {
    return "default-src 'none'; script-src 'self' "
        + packed("import-map.sha256")
        + "; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self';"
        + " frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
  }

  private static String packed(String path) throws IOException {
    byte[] content =
        resource(path)
            .orElseThrow(() -> new IOException("page/" + path + ": missing in holdfast-page"));
    return new String(content, StandardCharsets.UTF_8).strip();
  }

  private static Optional<byte[]> resource(String path) throws IOException {
    try (InputStream in = PageServer.class.getResourceAsStream("/page/" + path)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    }
  }

  private static String typeOf(String path) {
    return TYPES.getOrDefault(
        path.substring(path.lastIndexOf('.') + 1), "application/octet-stream");
  }

  static void send(HttpExchange exchange, String type, String text) throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
  }
}
