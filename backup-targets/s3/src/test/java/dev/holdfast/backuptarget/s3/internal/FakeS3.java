package dev.holdfast.backuptarget.s3.internal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server on loopback that answers requests of a store as a test wants. */
final class FakeS3 implements AutoCloseable {
  static final String SECRET = "planted-secret-7f3a";
  static final String ID = "PLANTEDID55";

  /** Limits that a server which hangs reaches soon. */
  static final StoreOptions SHORT =
      new StoreOptions(Duration.ofSeconds(10), Duration.ofMillis(700), 4);

  final List<String> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** Decides what a request is answered by. */
  @FunctionalInterface
  interface Answers {
    void answer(HttpExchange exchange, int number) throws IOException;
  }

  FakeS3(Answers answers) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          exchange.getRequestBody().readAllBytes();
          answers.answer(exchange, requests.size());
          exchange.close();
        });
    server.start();
  }

  /** Answers with a status, headers as pairs, and a text. */
  static void send(HttpExchange exchange, int status, String text, String... headers)
      throws IOException {
    for (int i = 0; i < headers.length; i += 2) {
      exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    boolean head = "HEAD".equals(exchange.getRequestMethod());
    exchange.sendResponseHeaders(status, bytes.length == 0 || head ? -1 : bytes.length);
    if (!head && bytes.length > 0) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    }
  }

  /** Answers as a server that fails, and repeats what it knows of the caller. */
  static void fail(HttpExchange exchange, int status, String code) throws IOException {
    send(
        exchange,
        status,
        "<?xml version=\"1.0\"?><Error><Code>"
            + code
            + "</Code><Message>"
            + ID
            + " "
            + SECRET
            + " "
            + exchange.getRequestHeaders().getFirst("Authorization")
            + "</Message></Error>");
  }

  Map<String, byte[]> credentials() {
    return S3Server.credentials(
        Map.of(
            "AWS_ACCESS_KEY_ID",
            ID,
            "AWS_SECRET_ACCESS_KEY",
            SECRET,
            "AWS_ENDPOINTS",
            "http://127.0.0.1:" + server.getAddress().getPort()));
  }

  ObjectStore open(StoreOptions options) throws StorageException {
    return new S3TargetProvider()
        .open(TargetUrl.parse("s3://bucket-1@eu-test-1/root/"), credentials(), options);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
