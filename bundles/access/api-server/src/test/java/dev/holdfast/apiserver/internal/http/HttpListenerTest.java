package dev.holdfast.apiserver.internal.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.apiserver.ApiServer;
import dev.holdfast.apiserver.internal.CountingStore;
import dev.holdfast.apiserver.internal.TestServer;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour that only shows over real connections. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HttpListenerTest {
  private static final String SETTINGS = "/apis/holdfast.dev/v1/settings";
  private static final String WATCH = SETTINGS + "?watch=true&resourceVersion=";
  private static final int BACKLOG = 50;

  @TempDir Path directory;
  private final CountingStore watches = new CountingStore(new MemoryResourceStore());
  private TestServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory, watches, settings(Duration.ofHours(1)));
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(server.clientTls())
            .build();
  }

  private static WatchSettings settings(Duration writeLimit) {
    return new WatchSettings(BACKLOG, Duration.ofMillis(200), Duration.ofHours(1), writeLimit);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + path))
        .header("Authorization", "Bearer " + server.token());
  }

  private BufferedReader watch(String version) throws Exception {
    HttpResponse<InputStream> response =
        client.send(request(WATCH + version).build(), HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    return new BufferedReader(new InputStreamReader(response.body(), UTF_8));
  }

  private Setting first() throws Exception {
    return server.store().create(Setting.of("first", new SettingSpec("1")));
  }

  @Test
  void responseToAnUnidentifiedCallerContainsRetryAfter(@TempDir Path other) throws Exception {
    try (TestServer starting =
        new TestServer(other, new MemoryResourceStore(), settings(Duration.ofHours(1)), true)) {
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .sslContext(starting.clientTls())
              .build()
              .send(
                  HttpRequest.newBuilder(URI.create(starting.url() + SETTINGS))
                      .header("Authorization", "Bearer of-a-node")
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    }
  }

  @Test
  void largeListIsCompressed() throws Exception {
    Setting setting = first();
    Map<String, String> filler = Map.of("filler", "x".repeat(GzipAnswers.SMALLEST));
    server.store().update(setting.withMetadata(setting.metadata().withAnnotations(filler)));
    HttpResponse<InputStream> answer =
        client.send(
            request(SETTINGS).header("Accept-Encoding", "gzip").build(),
            HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
    try (GZIPInputStream plain = new GZIPInputStream(answer.body())) {
      assertThat(new String(plain.readAllBytes(), UTF_8)).contains(filler.get("filler"));
    }
  }

  @Test
  void manyWatchesLeaveRoomForOtherRequests() throws Exception {
    String version = first().metadata().resourceVersion();
    List<BufferedReader> watches = new ArrayList<>();
    for (int i = 0; i < UserLimits.WATCHES; i++) {
      watches.add(watch(version));
    }
    for (int i = 0; i < 20; i++) {
      HttpResponse<String> list =
          client.send(request(SETTINGS).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(list.statusCode()).isEqualTo(200);
    }
    server.store().create(Setting.of("second", new SettingSpec("2")));
    for (BufferedReader watch : watches) {
      assertThat(watch.readLine()).contains("\"ADDED\"", "\"second\"");
      watch.close();
    }
  }

  @Test
  void aSlowWatcherIsCutOffAndOthersContinue() throws Exception {
    Setting setting = first();
    String version = setting.metadata().resourceVersion();
    try (Socket slow = slowWatch(version);
        BufferedReader other = watch(version)) {
      String filler = "x".repeat(100_000);
      int changes = 400;
      for (int i = 0; i < changes; i++) {
        setting =
            server
                .store()
                .update(
                    setting.withMetadata(
                        setting.metadata().withAnnotations(Map.of("filler", filler + i))));
        assertThat(other.readLine()).contains(filler + i + "\"");
      }
      BufferedReader late = new BufferedReader(new InputStreamReader(slow.getInputStream(), UTF_8));
      List<String> events =
          late.lines().filter(line -> line.strip().startsWith("{\"type\"")).toList();
      assertThat(events).hasSizeLessThan(changes);
      assertThat(events.get(events.size() - 1))
          .contains("\"ERROR\"", "\"Expired\"", "\"code\":410");
    }
  }

  @Test
  void aWatcherThatStopsReadingGivesItsThreadBack() throws Exception {
    stop();
    server = new TestServer(directory, watches, settings(Duration.ofMillis(300)));
    Setting setting = first();
    String version = setting.metadata().resourceVersion();
    try (Socket silent = slowWatch(version)) {
      watches.awaitOpen();
      String filler = "x".repeat(250_000);
      for (int i = 0; i < BACKLOG; i++) {
        setting =
            server
                .store()
                .update(
                    setting.withMetadata(
                        setting.metadata().withAnnotations(Map.of("filler", filler + i))));
      }
      watches.awaitClosed();
      assertThat(lines(silent)).noneMatch(line -> line.contains("\"ERROR\""));
    }
    try (BufferedReader next = watch(setting.metadata().resourceVersion())) {
      server.store().create(Setting.of("second", new SettingSpec("2")));
      assertThat(next.readLine()).contains("\"second\"");
    }
  }

  /** Returns the lines that arrived before the connection broke. */
  private static List<String> lines(Socket socket) {
    List<String> lines = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      return lines;
    }
    return lines;
  }

  /** A client that sends its request and reads nothing until it is asked to. */
  private Socket slowWatch(String version) throws Exception {
    return ask(WATCH + version);
  }

  private Socket ask(String path) throws Exception {
    SSLContext tls = server.clientTls();
    Socket socket =
        tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.port());
    String request =
        "GET "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "
            + server.token()
            + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  @Test
  void quietWatchesSendBlanksPeriodically() throws Exception {
    String version = first().metadata().resourceVersion();
    try (BufferedReader watch = watch(version)) {
      assertThat(watch.read()).isEqualTo(' ');
      server.store().create(Setting.of("second", new SettingSpec("2")));
      assertThat(watch.readLine().strip()).startsWith("{\"type\":\"ADDED\"");
    }
  }

  @Test
  void watchesEndWhenTheirTimeIsOver() throws Exception {
    String version = first().metadata().resourceVersion();
    try (BufferedReader watch = watch(version + "&timeoutSeconds=1&allowWatchBookmarks=true")) {
      List<String> lines = watch.lines().toList();
      assertThat(lines.get(lines.size() - 1)).contains("\"BOOKMARK\"", version);
    }
  }

  @Test
  void watchesEndWhenTheServerStops() throws Exception {
    BufferedReader watch = watch(first().metadata().resourceVersion());
    server.close();
    assertThat(endsByTheServer(watch)).isTrue();
  }

  /** Reads on; an answer that ends cleanly and one that breaks are both ends. */
  private static boolean endsByTheServer(BufferedReader watch) {
    try (watch) {
      return watch.lines().allMatch(String::isBlank);
    } catch (IOException | UncheckedIOException e) {
      return true;
    }
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws Exception {
    HttpRequest request =
        request(SETTINGS)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(" ".repeat((3 << 20) + 1)))
            .build();
    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(413);
  }

  @Test
  void pathsAndQueriesAreDecoded() throws Exception {
    server.store().create(Setting.of("a.b", new SettingSpec("1")));
    HttpRequest request =
        request(SETTINGS + "?fieldSelector=metadata.name%3Da%2Eb&labelSelector=x+notin+(y)")
            .build();
    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
        .contains("\"name\":\"a.b\"");
    assertThat(
            client
                .send(request(SETTINGS + "/a%2Eb").build(), HttpResponse.BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aTakenPortIsNamedWithTheRemedy() throws Exception {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    assertThatThrownBy(
            () -> ApiServer.start(taken, server.clientTls(), "t", "0.1.0", server.store()))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("holdfast.api.port");
  }
}
