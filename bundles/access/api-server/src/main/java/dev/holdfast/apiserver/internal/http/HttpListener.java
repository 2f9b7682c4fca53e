package dev.holdfast.apiserver.internal.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API over HTTPS; the only class that knows the HTTP server.
 *
 * <p>Each connection has a thread. At most 64 requests are handled at a time; checks of health do
 * not count, so that they are answered however many others wait.
 *
 * <p>The head decides whether a body is read. The part of a body beyond 16 KiB is read only while
 * the request counts as one of the 64, so that bodies in memory are bounded.
 */
public final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int MAX_BODY = 3 << 20;
  private static final int SMALL_BODY = 16 << 10;
  private static final int PIECE = 4 << 10;
  private static final int REQUESTS = 64;
  private static final int STREAMS = 1024;
  private static final String RETRY_SECONDS = "1";
  private static final Set<String> HEALTH = Set.of("livez", "readyz", "healthz");

  private final HttpServer server;
  private final ApiHandler handler;
  private final Semaphore requests = new Semaphore(REQUESTS, true);
  private final Semaphore streams = new Semaphore(STREAMS);
  private final Set<ApiResponse.Stream> running = ConcurrentHashMap.newKeySet();

  /** Listens. */
  public HttpListener(
      InetSocketAddress address, SSLContext tls, ApiHandler handler, HttpLimits limits)
      throws IOException {
    this.handler = handler;
    server = HttpServer.start(address, tls, this::serve, limits);
  }

  public int port() {
    return server.port();
  }

  private void serve(HttpExchange exchange) throws IOException {
    ApiResponse response;
    try {
      ApiRequest head = head(exchange);
      Optional<ApiHandler.StreamedCall> call = handler.streamed(head);
      if (call.isPresent()) {
        new StreamedExchange(exchange, streams).run(call.get());
        return;
      }
      response = answer(exchange, head);
    } catch (ApiException e) {
      response = e.status().response();
    } catch (IllegalArgumentException e) {
      response = ApiStatus.failure(400, "BadRequest", e.getMessage()).response();
    }
    send(exchange, response);
  }

  private ApiResponse answer(HttpExchange exchange, ApiRequest head)
      throws IOException, ApiException {
    int largest = Math.min(MAX_BODY, handler.largestBody(head));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    // A client that sends a small body slowly does not delay others.
    boolean complete = read(exchange, body, Math.min(largest, SMALL_BODY));
    exchange.received();
    if (!complete && largest <= SMALL_BODY) {
      return tooLarge(largest);
    }
    if (complete && head.path().size() == 1 && HEALTH.contains(head.path().get(0))) {
      return handler.handle(head.withBody(text(head, body)));
    }
    requests.acquireUninterruptibly();
    try {
      if (!complete) {
        exchange.awaitRest();
        if (!read(exchange, body, largest)) {
          return tooLarge(largest);
        }
        exchange.received();
      }
      return handler.handle(head.withBody(text(head, body)));
    } finally {
      requests.release();
    }
  }

  private static ApiResponse tooLarge(int largest) {
    String whose = largest < MAX_BODY ? " for a request without a token" : "";
    return ApiStatus.failure(
            413,
            "RequestEntityTooLarge",
            "the body is larger than the limit of " + largest + " bytes" + whose)
        .response();
  }

  private static String text(ApiRequest head, ByteArrayOutputStream body) {
    return body.toString(head.isProtobuf() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
  }

  private void send(HttpExchange exchange, ApiResponse response) throws IOException {
    if (response instanceof ApiResponse.Content content) {
      write(exchange, content);
    } else if (response instanceof ApiResponse.Streaming streaming) {
      stream(exchange, streaming);
    }
  }

  static void write(HttpExchange exchange, ApiResponse.Content content) throws IOException {
    exchange.addHeader("Content-Type", content.contentType());
    exchange.addHeader("Cache-Control", "no-cache, private");
    for (String warning : content.warnings()) {
      exchange.addHeader("Warning", "299 - \"" + warning.replaceAll("([\"\\\\])", "\\\\$1") + "\"");
    }
    if (content.code() == 413) {
      exchange.closeAfterwards();
    } else if (content.code() == 503) {
      exchange.addHeader("Retry-After", RETRY_SECONDS);
    }
    byte[] body = new byte[content.body().remaining()];
    content.body().duplicate().get(body);
    try (OutputStream out = exchange.begin(content.code(), body.length)) {
      out.write(body);
    }
  }

  private void stream(HttpExchange exchange, ApiResponse.Streaming streaming) throws IOException {
    if (!streams.tryAcquire()) {
      streaming.stream().close();
      LOG.warn("Refused a watch: {} are open", STREAMS);
      send(
          exchange,
          ApiStatus.failure(
                  429,
                  "TooManyRequests",
                  STREAMS + " watches are open already: end some and try again")
              .response());
      return;
    }
    running.add(streaming.stream());
    try {
      runStream(exchange, streaming);
    } catch (IOException e) {
      LOG.debug("A watch's client went away", e);
      throw e;
    } catch (RuntimeException e) {
      LOG.error("A watch failed", e);
      exchange.closeAfterwards();
    } finally {
      running.remove(streaming.stream());
      streaming.stream().close();
      streams.release();
    }
  }

  private static void runStream(HttpExchange exchange, ApiResponse.Streaming streaming)
      throws IOException {
    exchange.addHeader("Content-Type", streaming.contentType());
    exchange.addHeader("Cache-Control", "no-cache, private");
    try (OutputStream out = exchange.beginStream(200)) {
      // The client sees that the watch has begun.
      out.flush();
      streaming.stream().run(out);
    }
  }

  /** Reads to the end, or until there is more than a limit: then returns false. */
  private static boolean read(HttpExchange exchange, ByteArrayOutputStream body, int limit)
      throws IOException {
    InputStream in = exchange.body();
    byte[] buffer = new byte[PIECE];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      body.write(buffer, 0, n);
      if (body.size() > limit) {
        return false;
      }
    }
    return true;
  }

  private static ApiRequest head(HttpExchange exchange) {
    URI uri = exchange.target();
    List<String> path = new ArrayList<>();
    for (String segment : uri.getRawPath().split("/", -1)) {
      if (!segment.isEmpty()) {
        // A plus sign means itself in a path.
        path.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
      }
    }
    return ApiRequest.of(
        exchange.method(),
        List.copyOf(path),
        query(uri.getRawQuery()),
        exchange::header,
        exchange.source())
        .ofDirectory(uri.getRawPath().endsWith("/"));
  }

  private static Map<String, List<String>> query(String raw) {
    Map<String, List<String>> query = new LinkedHashMap<>();
    if (raw != null) {
      for (String part : raw.split("&", -1)) {
        String[] pair = part.split("=", 2);
        String key = URLDecoder.decode(pair[0], StandardCharsets.UTF_8);
        String value = pair.length == 2 ? URLDecoder.decode(pair[1], StandardCharsets.UTF_8) : "";
        query.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
      }
    }
    return query;
  }

  @Override
  public void close() {
    running.forEach(ApiResponse.Stream::close);
    server.close();
  }
}
