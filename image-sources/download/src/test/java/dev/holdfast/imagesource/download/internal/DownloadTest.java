package dev.holdfast.imagesource.download.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Downloads from a server of the test: good ones, and each attack refused by name. */
class DownloadTest {
  private static final DownloadLimits SHORT =
      new DownloadLimits(Duration.ofSeconds(5), Duration.ofMillis(500), Duration.ofMillis(500));
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final AddressRule ANY = address -> {};

  private static MemorySink download(String url, AddressRule rule, MemorySink sink)
      throws StorageException {
    return download(url, rule, sink, host -> InetAddress.getAllByName("127.0.0.1"));
  }

  private static MemorySink download(
      String url, AddressRule rule, MemorySink sink, HttpDialer.Resolver resolver)
      throws StorageException {
    HttpDialer dialer =
        new HttpDialer(
            "test",
            rule,
            Optional.empty(),
            resolver,
            (SSLSocketFactory) SSLSocketFactory.getDefault(),
            SHORT);
    try (DownloadTransfer transfer =
        new DownloadTransfer("test", DownloadUrl.parse("test", url), dialer)) {
      transfer.run(sink);
    }
    return sink;
  }

  private static String url(ScriptedServer server) {
    return "http://images.example:" + server.port() + "/disk.raw";
  }

  private static String text(MemorySink sink) {
    return new String(sink.bytes(), StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OK + "Content-Length: 5\r\n\r\nimage",
        OK + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nim\r\n3\r\nage\r\n0\r\nT: x\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + "content-length:5\r\n\r\nimage",
        "HTTP/1.0 200\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nimage"
      })
  void imageIsDelivered(String answer) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((request, out) -> ScriptedServer.write(out, answer))) {
      assertThat(text(download(url(server), ANY, new MemorySink()))).isEqualTo("image");
      assertThat(server.requests().get(0))
          .startsWith("GET /disk.raw HTTP/1.1\n")
          .contains("Host: images.example:" + server.port())
          .contains("Accept-Encoding: identity");
    }
  }

  record Attack(String answer, String reason) {}

  static Stream<Attack> attacks() {
    String body = "Content-Length: 5\r\n\r\nimage";
    return Stream.of(
        new Attack(OK + "Content-Length: 9\r\n\r\nimage", "before the end"),
        new Attack(OK + "\r\nimage", "does not say how long"),
        new Attack(OK + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nimage", "lengths"),
        new Attack(OK + "Content-Length: -5\r\n\r\nimage", "lengths"),
        new Attack(OK + "Content-Length: 99999999999999999999\r\n\r\nimage", "lengths"),
        new Attack(OK + "Content-Length: 9999999\r\n\r\nimage", "limit"),
        new Attack(OK + "Transfer-Encoding: chunked\r\n" + body, "both a length and chunks"),
        new Attack(OK + "Transfer-Encoding: gzip, chunked\r\n\r\n", "transfer encoding"),
        new Attack(OK + "Transfer-Encoding: chunked\r\n\r\nzz\r\nimage", "size of a chunk"),
        new Attack(OK + "Transfer-Encoding: chunked\r\n\r\n-1\r\nimage", "size of a chunk"),
        new Attack(OK + "Transfer-Encoding: chunked\r\n\r\n1\r\nimage\r\n", "longer than it says"),
        new Attack(OK + "Transfer-Encoding: chunked\r\n\r\n9\r\nimage", "inside a chunk"),
        new Attack(
            OK + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nimage", "size of a chunk"),
        new Attack(OK + "Content-Encoding: gzip\r\n" + body, "content encoding gzip"),
        new Attack(OK + ": x\r\n" + body, "wrong header"),
        new Attack(OK + "X: " + "x".repeat(70_000) + "\r\n" + body, "bytes of headers"),
        new Attack("HTTP/2 200\r\n" + body, "does not speak"),
        new Attack("SSH-2.0-OpenSSH\r\n", "does not speak"),
        new Attack("", "ends the connection"),
        new Attack("HTTP/1.1 100 Continue\r\n\r\n".repeat(9), "interim"),
        new Attack("HTTP/1.1 404 Not Found\r\n\r\n", "status 404"),
        new Attack("HTTP/1.1 503 Busy\r\n\r\n", "status 503"),
        new Attack("HTTP/1.1 204 No Content\r\n\r\n", "status 204"),
        new Attack("HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\n" + body, "range"),
        new Attack("HTTP/1.1 302 Found\r\n\r\n", "leads nowhere"),
        new Attack("HTTP/1.1 302 Found\r\nLocation: /disk.raw\r\n\r\n", "more than 5 times"),
        new Attack("HTTP/1.1 302 Found\r\nLocation: file:///etc/shadow\r\n\r\n", "http://"),
        new Attack("HTTP/1.1 302 Found\r\nLocation: ftp://x.example/\r\n\r\n", "http://"),
        new Attack("HTTP/1.1 302 Found\r\nLocation: http://a:b@x.example/\r\n\r\n", "password"),
        new Attack("HTTP/1.1 302 Found\r\nLocation: http:///x\r\n\r\n", "names no host"));
  }

  @ParameterizedTest
  @MethodSource("attacks")
  void attackIsRefused(Attack attack) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((request, out) -> ScriptedServer.write(out, attack.answer()))) {
      assertThatThrownBy(() -> download(url(server), ANY, new MemorySink()))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(attack.reason());
    }
  }

  @Test
  void silentServerIsLeft() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, out) -> {
              ScriptedServer.write(out, OK + "Content-Length: 5\r\n\r\nim");
              // Until the client leaves.
              while (true) {
                ScriptedServer.write(out, "");
                Thread.onSpinWait();
                if (Thread.currentThread().isInterrupted()) {
                  return;
                }
              }
            })) {
      assertThatThrownBy(() -> download(url(server), ANY, new MemorySink()))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    }
  }

  @Test
  void addressIsCheckedAfterEachRedirectAndAnswerOfTheResolver() throws Exception {
    List<String> asked = new ArrayList<>();
    AddressRule rule =
        address -> {
          asked.add(address.getHostAddress());
          if (asked.size() > 1) {
            throw new StorageException(ErrorCode.FORBIDDEN, address + " is not public");
          }
        };
    AtomicInteger lookups = new AtomicInteger();
    HttpDialer.Resolver changing =
        host ->
            new InetAddress[] {
              InetAddress.getByName(lookups.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.2")
            };
    try (ScriptedServer server =
        new ScriptedServer(
            (request, out) ->
                ScriptedServer.write(out, "HTTP/1.1 302 Found\r\nLocation: /other\r\n\r\n"))) {
      assertThatThrownBy(() -> download(url(server), rule, new MemorySink(), changing))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
      assertThat(asked).containsExactly("127.0.0.1", "127.0.0.2");
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void forbiddenAddressIsNeverConnected() throws Exception {
    AddressRule none =
        address -> {
          throw new StorageException(ErrorCode.FORBIDDEN, address + " is not public");
        };
    try (ScriptedServer server =
        new ScriptedServer((request, out) -> ScriptedServer.write(out, OK + "\r\n"))) {
      assertThatThrownBy(() -> download(url(server), none, new MemorySink()))
          .hasMessageContaining("is not public");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void brokenDownloadResumesByTheSameTag() throws Exception {
    MemorySink sink = new MemorySink();
    try (ScriptedServer server =
        new ScriptedServer(
            (request, out) ->
                ScriptedServer.write(
                    out,
                    request.contains("Range: bytes=2-")
                        ? "HTTP/1.1 206 Partial\r\nETag: \"one\"\r\n"
                            + "Content-Range: bytes 2-4/5\r\nContent-Length: 3\r\n\r\nage"
                        : OK + "ETag: \"one\"\r\nContent-Length: 5\r\n\r\nim"))) {
      assertThatThrownBy(() -> download(url(server), ANY, sink)).hasMessageContaining("3 bytes");
      assertThat(sink.mark()).isEqualTo(Optional.of("\"one\""));
      assertThat(text(download(url(server), ANY, sink))).isEqualTo("image");
      assertThat(server.requests().get(1)).contains("If-Range: \"one\"");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ETag: \"two\"\r\nContent-Range: bytes 2-4/5\r\nContent-Length: 3\r\n\r\nage",
        "ETag: \"one\"\r\nContent-Range: bytes 1-4/5\r\nContent-Length: 4\r\n\r\nmage",
        "ETag: \"one\"\r\nContent-Range: bytes 2-3/5\r\nContent-Length: 2\r\n\r\nag",
        "ETag: \"one\"\r\nContent-Length: 3\r\n\r\nage"
      })
  void otherRangeStartsTheDownloadAgain(String partial) throws Exception {
    MemorySink sink = new MemorySink();
    sink.restart(Optional.of("\"one\""));
    sink.write(java.nio.ByteBuffer.wrap(new byte[] {'i', 'm'}));
    try (ScriptedServer server =
        new ScriptedServer(
            (request, out) -> ScriptedServer.write(out, "HTTP/1.1 206 Partial\r\n" + partial))) {
      assertThatThrownBy(() -> download(url(server), ANY, sink))
          .hasMessageContaining("another range");
      assertThat(sink.position()).isZero();
    }
  }

  @Test
  void weakTagDoesNotResume() throws Exception {
    MemorySink sink = new MemorySink();
    try (ScriptedServer server =
        new ScriptedServer(
            (request, out) ->
                ScriptedServer.write(
                    out, OK + "ETag: W/\"one\"\r\nContent-Length: 5\r\n\r\nimage"))) {
      download(url(server), ANY, sink);
      assertThat(sink.mark()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "disk.raw",
        "file:///etc/shadow",
        "ftp://x.example/a",
        "http://",
        "http:///a",
        "http://u:p@x.example/a",
        "http://x.example:0/a",
        "http://x.example:70000/a",
        "http://x.example/a b",
        "gopher://127.0.0.1:6379/_x",
        "jar:http://x.example/a!/b"
      })
  void wrongAddressIsRefused(String url) {
    assertThatThrownBy(() -> DownloadUrl.parse("test", url))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("the download address");
  }

  @Test
  void redirectToPlainHttpIsRefused() throws Exception {
    DownloadUrl secure = DownloadUrl.parse("test", "https://x.example/a");
    assertThatThrownBy(() -> secure.redirected("test", "http://x.example/a"))
        .hasMessageContaining("from https to http");
    assertThat(secure.redirected("test", "../b?c=d").toString())
        .startsWith("https://x.example/")
        .endsWith("b?c=d");
  }
}
