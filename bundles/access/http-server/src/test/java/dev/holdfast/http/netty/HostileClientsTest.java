package dev.holdfast.http.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpLimits;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send too much, too little or something else than HTTP/1.1. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileClientsTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String LIVE = "GET /live HTTP/1.1\r\nConnection: close\r\n\r\n";

  /** Longer than a test: nothing passes here only because time passes. */
  private static final HttpLimits PATIENT =
      HttpLimits.DEFAULT
          .withHandshake(LONG)
          .withHeader(LONG)
          .withBody(LONG)
          .withIdle(LONG)
          .withWrite(LONG);

  @TempDir Path directory;
  private TestRouter router;
  private NettyHttpServer server;
  private RawClient client;

  @BeforeEach
  void prepare() throws Exception {
    router = new TestRouter(directory);
    start(PATIENT);
  }

  private void start(HttpLimits limits) throws Exception {
    stop();
    server = router.start(limits);
    client = new RawClient(server.port(), router.clientTls());
  }

  @AfterEach
  void stop() throws IOException {
    if (server != null) {
      client.close();
      server.close();
    }
  }

  private void assertRefused(String answer, int code) {
    assertThat(answer).startsWith("HTTP/1.1 " + code + " ").contains("refused: ");
  }

  @Test
  void halfOpenClientsDoNotDelayLiveness() throws Exception {
    for (int i = 0; i < 64; i++) {
      client.halfOpen();
    }
    assertThat(client.ask(LIVE)).startsWith("HTTP/1.1 200 ").endsWith("ok");
    assertThat(server.refusals().get(ConnectionRefusal.HALF_OPEN)).isGreaterThanOrEqualTo(48);
  }

  @Test
  void floodOfHalfOpenClientsDoesNotCloseThoseOfOtherAddresses() throws Exception {
    Socket slow = client.silent("127.0.0.1");
    for (int i = 0; i < 512; i++) {
      Socket unused = client.silent("127.0.9." + (1 + i % 32));
    }
    assertThat(client.ask(LIVE)).startsWith("HTTP/1.1 200 ").endsWith("ok");
    assertThat(server.refusals().get(ConnectionRefusal.HALF_OPEN)).isGreaterThanOrEqualTo(257);
    assertThat(client.ask(slow, LIVE)).startsWith("HTTP/1.1 200 ").endsWith("ok");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /%zz HTTP/1.1, 400",
    "GET /path?a=%zz HTTP/1.1, 400",
    "GET /a|b HTTP/1.1, 400",
    "GET / HTTP/2.0, 505",
    "nonsense, 400"
  })
  void requestLineThatIsNotUnderstoodIsRefused(String line, int code) throws Exception {
    assertRefused(client.ask(line + "\r\nConnection: close\r\n\r\n"), code);
    assertThat(server.refusals().get(ConnectionRefusal.MALFORMED)).isEqualTo(1);
  }

  @Test
  void targetNeverNamesAHost() throws Exception {
    for (String target : new String[] {"//path/x", "https://other:1/path/x"}) {
      assertThat(client.ask("GET " + target + " HTTP/1.1\r\nConnection: close\r\n\r\n"))
          .endsWith("GET [path, x] {}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no colon",
        "Name : space",
        ": value",
        "A: \0",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: -1",
        "Content-Length: 1e3"
      })
  void doubtfulHeaderIsRefused(String header) throws Exception {
    assertRefused(client.ask("POST /echo HTTP/1.1\r\n" + header + "\r\n\r\n"), 400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x\r\n", "-1\r\n", "2\r\nabc\r\n0\r\n\r\n"})
  void doubtfulChunkIsRefused(String chunks) throws Exception {
    assertRefused(
        client.ask("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks), 400);
  }

  @Test
  void headThatIsTooLargeIsRefused() throws Exception {
    assertRefused(client.ask("GET /" + "x".repeat(9 << 10) + " HTTP/1.1\r\n\r\n"), 414);
    assertRefused(client.ask("GET / HTTP/1.1\r\nA: " + "x".repeat(33 << 10) + "\r\n\r\n"), 431);
    assertRefused(
        client.ask("GET / HTTP/1.1\r\nConnection: close\r\n" + "A: b\r\n".repeat(201) + "\r\n"),
        431);
  }

  @Test
  void halfOfAHeadIsClosedAfterItsTime() throws Exception {
    start(PATIENT.withHeader(SHORT));
    assertThat(client.ask("GET /live HTTP/1.1\r\nA: ")).isEmpty();
    assertThat(server.refusals().get(ConnectionRefusal.SLOW_HEADER)).isEqualTo(1);
  }

  @Test
  void halfOfABodyGets408AfterItsTime() throws Exception {
    start(PATIENT.withBody(SHORT));
    assertRefused(client.ask("POST /echo HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"), 408);
    assertThat(server.refusals().get(ConnectionRefusal.SLOW_BODY)).isPositive();
    assertThat(router.ended.get()).isEqualTo(1);
  }

  @Test
  void halfOfAStreamIsCutOffAfterItsTime() throws Exception {
    start(PATIENT.withBody(SHORT));
    assertThat(client.ask("POST /stream HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"))
        .startsWith("HTTP/1.1 200 ")
        .doesNotEndWith("0\r\n\r\n");
    assertThat(server.refusals().get(ConnectionRefusal.SLOW_BODY)).isEqualTo(1);
  }

  @Test
  void silentConnectionIsClosedAfterItsTime() throws Exception {
    start(PATIENT.withIdle(SHORT));
    assertThat(client.ask("GET /live HTTP/1.1\r\n\r\n")).endsWith("ok");
  }

  @Test
  void clientThatDoesNotReadIsClosedAfterItsTime() throws Exception {
    start(PATIENT.withWrite(SHORT));
    Socket stream = client.send("POST /stream HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n");
    byte[] piece = new byte[1 << 20];
    try {
      for (int i = 0; i < 100; i++) {
        stream.getOutputStream().write(piece);
      }
    } catch (IOException e) {
      // The server was first.
    }
    while (server.refusals().get(ConnectionRefusal.SLOW_READER) == 0) {
      Thread.onSpinWait();
    }
    assertThat(client.ask(LIVE)).endsWith("ok");
  }

  @Test
  void requestsOfAConnectionAreAnsweredInTheirOrder() throws Exception {
    String answers =
        client.ask(
            "GET /path/1 HTTP/1.1\r\n\r\n"
                + "POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo"
                + "GET /path/3 HTTP/1.1\r\nConnection: close\r\n\r\n");
    assertThat(answers).containsSubsequence("[path, 1]", "two", "[path, 3]");
  }

  @Test
  void deferredRequestEndsOnceHoweverItEnds() throws Exception {
    router.released.countDown();

    assertThat(client.ask("GET /later/absent HTTP/1.1\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 404");
    assertThat(router.ended.get()).isEqualTo(1);
    String body = "Content-Length: 2\r\nConnection: close\r\n\r\n";
    assertThat(client.ask("POST /later/echo HTTP/1.1\r\n" + body + "hi")).endsWith("hi");
    assertThat(router.ended.get()).isEqualTo(3);
  }

  @Test
  void halfOfABodyGets408AlsoAfterADeferredDecision() throws Exception {
    start(PATIENT.withBody(SHORT));
    router.released.countDown();

    assertRefused(client.ask("POST /later/echo HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"), 408);
    assertThat(router.ended.get()).isEqualTo(2);
  }
}
