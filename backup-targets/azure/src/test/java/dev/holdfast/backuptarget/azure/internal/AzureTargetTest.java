package dev.holdfast.backuptarget.azure.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.AzuriteServer;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Wrong addresses and credentials, and servers that fail, hang or lie. */
class AzureTargetTest {
  private static final StoreOptions SHORT =
      new StoreOptions(Duration.ofSeconds(2), Duration.ofMillis(500), 2);

  private static final String DATED = "Sun, 29 Nov 2026 10:00:00 GMT";

  /** One answer. */
  private interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private volatile Answer answer;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.getRequestBody().readAllBytes();
          answer.to(exchange);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private Map<String, byte[]> credentials(String name, String key) {
    return S3Server.credentials(
        Map.of(
            "AZBLOB_ACCOUNT_NAME",
            name,
            "AZBLOB_ACCOUNT_KEY",
            key,
            "AZBLOB_ENDPOINT",
            "http://127.0.0.1:" + server.getAddress().getPort() + "/account"));
  }

  private ObjectStore open(String url, Map<String, byte[]> credentials) throws StorageException {
    return new AzureTargetProvider().open(TargetUrl.parse(url), credentials, SHORT);
  }

  private ObjectStore open() throws StorageException {
    return open("azblob://box/", credentials(AzuriteServer.ACCOUNT, AzuriteServer.KEY));
  }

  private static Answer status(int status, String name) {
    return exchange -> {
      exchange.getResponseHeaders().add("x-ms-error-code", name);
      exchange.sendResponseHeaders(status, -1);
    };
  }

  private static Answer body(int status, String text, Map<String, String> headers) {
    return exchange -> {
      headers.forEach(exchange.getResponseHeaders()::add);
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  private static StorageException failure(ThrowingCallable call) {
    return catchThrowableOfType(StorageException.class, call);
  }

  @Test
  void wrongAddressesAndCredentialsAreNamedAndNotShown() {
    Map<String, byte[]> right = credentials(AzuriteServer.ACCOUNT, AzuriteServer.KEY);
    for (String url :
        List.of(
            "azblob://b/",
            "azblob://Box/",
            "azblob://bo--x/",
            "azblob://box@/",
            "azblob://box@a_b/",
            "azblob://box/a//b",
            "azblob://box/?region=x")) {
      assertThat(failure(() -> open(url, right)).code()).as(url).isEqualTo(ErrorCode.INVALID);
    }
    assertThat(failure(() -> open("azblob://box/", credentials("Name", AzuriteServer.KEY))))
        .hasMessageContaining("AZBLOB_ACCOUNT_NAME");
    assertThat(failure(() -> open("azblob://box/", credentials("account", "planted secret"))))
        .hasMessageContaining("AZBLOB_ACCOUNT_KEY: expected base64")
        .hasMessageNotContaining("planted");
    assertThat(failure(() -> open("azblob://box/", credentials("account", ""))))
        .hasMessageContaining("AZBLOB_ACCOUNT_KEY: required");
  }

  @Test
  void requestsAreSignedAsTheProtocolDescribes() throws Exception {
    List<String> seen = new ArrayList<>();
    answer =
        exchange -> {
          seen.add(exchange.getRequestURI().toString());
          seen.add(exchange.getRequestHeaders().getFirst("Authorization"));
          seen.add(exchange.getRequestHeaders().getFirst("x-ms-blob-type"));
          exchange.getResponseHeaders().add("ETag", "\"1\"");
          exchange.getResponseHeaders().add("Last-Modified", DATED);
          exchange.sendResponseHeaders(201, -1);
        };
    try (ObjectStore store = open()) {
      store.put("a b/+é", List.of(ByteBuffer.allocate(3)), PutOptions.REPLACE);
    }
    assertThat(seen.get(0)).isEqualTo("/account/box/a%20b/%2B%C3%A9");
    assertThat(seen.get(1)).startsWith("SharedKey " + AzuriteServer.ACCOUNT + ":");
    assertThat(seen.get(2)).isEqualTo("BlockBlob");
  }

  @Test
  void failuresOfTheServerAreTranslated() throws Exception {
    Map<Answer, ErrorCode> expected =
        Map.of(
            status(403, "AuthenticationFailed"), ErrorCode.FORBIDDEN,
            status(404, "BlobNotFound"), ErrorCode.NOT_FOUND,
            status(404, "ContainerNotFound"), ErrorCode.UNREACHABLE,
            status(409, "BlobAlreadyExists"), ErrorCode.CONFLICT,
            status(412, "ConditionNotMet"), ErrorCode.CONFLICT,
            status(416, "InvalidRange"), ErrorCode.IO,
            status(429, "x"), ErrorCode.BUSY,
            status(301, "x"), ErrorCode.IO);
    try (ObjectStore store = open()) {
      for (Map.Entry<Answer, ErrorCode> entry : expected.entrySet()) {
        answer = entry.getKey();
        StorageException failure = failure(() -> store.get("key", 0, ByteBuffer.allocate(1)));
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(entry.getValue());
        assertThat(failure).hasMessageNotContaining(AzuriteServer.KEY);
      }
    }
  }

  @Test
  void briefFailuresAreTriedAgainExceptConditionalPuts() throws Exception {
    answer = status(503, "InternalError");
    try (ObjectStore store = open()) {
      assertThat(failure(() -> store.stat("key")).code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(requests.getAndSet(0)).isEqualTo(3);
      assertThat(failure(() -> store.put("key", List.of(), PutOptions.IF_ABSENT)).code())
          .isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(requests.get()).isEqualTo(1);
    }
  }

  @Test
  void serverThatHangsEndsTheCall() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    answer =
        exchange -> {
          try {
            ended.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (ObjectStore store = open()) {
      assertThat(failure(() -> store.stat("key")).code()).isEqualTo(ErrorCode.TIMEOUT);
      answer = body(200, "ab", Map.of());
      ByteBuffer read = ByteBuffer.allocate(2);
      store.get("key", 0, read);
      assertThat(new String(read.array(), StandardCharsets.US_ASCII)).isEqualTo("ab");
    } finally {
      ended.countDown();
    }
  }

  @Test
  void answersWithOtherBytesThanWereAskedForAreRefused() throws Exception {
    try (ObjectStore store = open()) {
      answer = body(200, "0123456789", Map.of());
      assertThat(failure(() -> store.get("key", 4, ByteBuffer.allocate(2))))
          .hasMessageContaining("another range");
      answer = body(206, "01", Map.of("Content-Range", "bytes 0-1/10"));
      assertThat(failure(() -> store.get("key", 4, ByteBuffer.allocate(2))))
          .hasMessageContaining("another range");
      answer = body(206, "0", Map.of("Content-Range", "bytes 4-4/5"));
      assertThat(failure(() -> store.get("key", 4, ByteBuffer.allocate(2))))
          .hasMessageContaining("ends before byte 6");
      answer = body(206, "x".repeat(1 << 20), Map.of("Content-Range", "bytes 4-9/10"));
      assertThat(failure(() -> store.get("key", 4, ByteBuffer.allocate(2))))
          .hasMessageContaining("more bytes than were asked for");
    }
  }

  @Test
  void listsThatLieAreRefused() throws Exception {
    Map<String, String> wrong =
        Map.of(
            page(blob("b") + blob("a"), ""),
            "is not in ascending order",
            page(blob("a"), "again"),
            "is not in ascending order",
            page("", "again"),
            "does not say where its next page begins",
            page("<Blob><Name>a</Name></Blob>", ""),
            "has an incomplete entry",
            "{}",
            "is not XML",
            "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><x>&e;</x>",
            "is not XML");
    try (ObjectStore store = open()) {
      for (Map.Entry<String, String> entry : wrong.entrySet()) {
        answer = body(200, entry.getKey(), Map.of());
        StorageException failure = failure(() -> store.list("", "", found -> {}));
        assertThat(failure).as(entry.getKey()).hasMessageContaining(entry.getValue());
        assertThat(failure.code()).isEqualTo(ErrorCode.IO);
      }
    }
  }

  private static String blob(String name) {
    return "<Blob><Name>"
        + name
        + "</Name><Properties><Etag>1</Etag><Content-Length>1</Content-Length><Last-Modified>"
        + DATED
        + "</Last-Modified></Properties></Blob>";
  }

  private static String page(String blobs, String marker) {
    return "<EnumerationResults><Blobs>"
        + blobs
        + "</Blobs><NextMarker>"
        + marker
        + "</NextMarker></EnumerationResults>";
  }
}
