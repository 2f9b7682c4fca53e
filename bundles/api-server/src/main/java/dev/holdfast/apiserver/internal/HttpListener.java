package dev.holdfast.apiserver.internal;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTPS server; the only class that knows of it.
 *
 * <p>Requests run on one pool, streams on another: a stream gives its request's thread back, so
 * that no number of watches keeps other requests waiting.
 */
final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int MAX_BODY = 3 << 20;
  private static final int REQUEST_THREADS = 64;
  private static final int STREAM_THREADS = 1024;
  private static final int BACKLOG = 128;
  private static final String RETRY_SECONDS = "1";

  /** What the JDK's server takes as system properties only, once, when its first class loads. */
  private static final Map<String, String> LIMITS =
      Map.of(
          // Answers must not wait for the acknowledgement of what was sent before.
          "sun.net.httpserver.nodelay", "true",
          // Seconds until a request that does not arrive is given up.
          "sun.net.httpserver.maxReqTime", "30",
          // Longer than any watch: forgets connections that ended in no orderly way.
          "sun.net.httpserver.maxRspTime", "3900",
          "sun.net.httpserver.maxIdleConnections", "512",
          "jdk.httpserver.maxConnections", "2048");

  private final HttpsServer server;
  private final ExecutorService requests;
  private final ExecutorService streams;
  private final Set<ApiResponse.Stream> running = ConcurrentHashMap.newKeySet();
  private final WriteWatchdog watchdog;

  /**
   * Listens.
   *
   * @param writeLimit longest time that a client may take nothing of what is written to it
   */
  HttpListener(InetSocketAddress address, SSLContext tls, ApiHandler handler, Duration writeLimit)
      throws IOException {
    LIMITS.forEach((key, value) -> System.setProperty(key, System.getProperty(key, value)));
    server = HttpsServer.create(address, BACKLOG);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    ThreadPoolExecutor requestPool =
        new ThreadPoolExecutor(
            REQUEST_THREADS,
            REQUEST_THREADS,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads("holdfast-api-"));
    requestPool.allowCoreThreadTimeOut(true);
    requests = requestPool;
    streams =
        new ThreadPoolExecutor(
            0,
            STREAM_THREADS,
            30,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads("holdfast-api-watch-"));
    watchdog = new WriteWatchdog(writeLimit, threads("holdfast-api-watchdog-"));
    server.setExecutor(requests);
    server.createContext("/", exchange -> serve(exchange, handler));
    server.start();
  }

  private static ThreadFactory threads(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange, ApiHandler handler) throws IOException {
    ApiResponse response;
    try {
      Optional<String> body = body(exchange);
      response =
          body.isPresent()
              ? handler.handle(request(exchange, body.get()))
              : ApiStatus.failure(
                      413,
                      "RequestEntityTooLarge",
                      "the body is larger than the limit of " + MAX_BODY + " bytes")
                  .response();
    } catch (IllegalArgumentException e) {
      response = ApiStatus.failure(400, "BadRequest", e.getMessage()).response();
    } catch (IOException | RuntimeException e) {
      exchange.close();
      throw e;
    }
    send(exchange, response);
  }

  private void send(HttpExchange exchange, ApiResponse response) throws IOException {
    if (response instanceof ApiResponse.Content content) {
      try (exchange) {
        write(exchange, content);
      }
    } else if (response instanceof ApiResponse.Streaming streaming) {
      stream(exchange, streaming);
    }
  }

  private void write(HttpExchange exchange, ApiResponse.Content content) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", content.contentType());
    headers.set("Cache-Control", "no-cache, private");
    for (String warning : content.warnings()) {
      headers.add("Warning", "299 - \"" + warning.replaceAll("([\"\\\\])", "\\\\$1") + "\"");
    }
    if (content.code() == 413) {
      headers.set("Connection", "close");
    } else if (content.code() == 503) {
      headers.set("Retry-After", RETRY_SECONDS);
    }
    byte[] body = new byte[content.body().remaining()];
    content.body().duplicate().get(body);
    int length = body.length == 0 ? -1 : body.length;
    watchdog.guard(() -> exchange.sendResponseHeaders(content.code(), length));
    try (OutputStream out = watchdog.guard(exchange.getResponseBody())) {
      out.write(body);
    }
  }

  private void stream(HttpExchange exchange, ApiResponse.Streaming streaming) throws IOException {
    running.add(streaming.stream());
    try {
      streams.execute(() -> runStream(exchange, streaming));
    } catch (RejectedExecutionException e) {
      finish(streaming.stream());
      LOG.warn("Refused a watch: {} are open or the server stops", running.size());
      send(
          exchange,
          ApiStatus.failure(
                  429,
                  "TooManyRequests",
                  STREAM_THREADS + " watches are open already: end some and try again")
              .response());
    }
  }

  private void runStream(HttpExchange exchange, ApiResponse.Streaming streaming) {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", streaming.contentType());
      exchange.getResponseHeaders().set("Cache-Control", "no-cache, private");
      watchdog.guard(() -> exchange.sendResponseHeaders(200, 0));
      try (OutputStream out = watchdog.guard(exchange.getResponseBody())) {
        streaming.stream().run(out);
      }
    } catch (IOException e) {
      LOG.debug("A watch's client went away", e);
    } catch (RuntimeException e) {
      LOG.error("A watch failed", e);
    } finally {
      finish(streaming.stream());
    }
  }

  private void finish(ApiResponse.Stream stream) {
    running.remove(stream);
    stream.close();
  }

  private static Optional<String> body(HttpExchange exchange) throws IOException {
    InputStream in = exchange.getRequestBody();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[16 << 10];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      body.write(buffer, 0, n);
      if (body.size() > MAX_BODY) {
        return Optional.empty();
      }
    }
    return Optional.of(body.toString(StandardCharsets.UTF_8));
  }

  private static ApiRequest request(HttpExchange exchange, String body) {
    URI uri = exchange.getRequestURI();
    List<String> path = new ArrayList<>();
    for (String segment : uri.getRawPath().split("/", -1)) {
      if (!segment.isEmpty()) {
        // A plus sign means itself in a path.
        path.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
      }
    }
    return new ApiRequest(
        exchange.getRequestMethod(),
        List.copyOf(path),
        query(uri.getRawQuery()),
        name -> Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)),
        body);
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
    streams.shutdown();
    server.stop(0);
    requests.shutdownNow();
    streams.shutdownNow();
    watchdog.close();
  }
}
