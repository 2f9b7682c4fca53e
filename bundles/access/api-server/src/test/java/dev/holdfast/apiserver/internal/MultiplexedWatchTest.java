package dev.holdfast.apiserver.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.resources.ResourceReads;
import dev.holdfast.apiserver.internal.resources.ServedKinds;
import dev.holdfast.apiserver.internal.resources.Views;
import dev.holdfast.apiserver.internal.resources.WatchRequests;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several watches in one stream. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MultiplexedWatchTest {
  @TempDir private Path directory;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ObjectMapper mapper = new ObjectMapper();
  private TestServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    server =
        new TestServer(
            directory,
            store,
            new WatchSettings(
                50, Duration.ofMillis(200), Duration.ofHours(1), Duration.ofHours(1)));
    client = HttpClient.newBuilder().sslContext(server.clientTls()).build();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<InputStream> watch(String body) throws Exception {
    return watch(server.token(), body);
  }

  private HttpResponse<InputStream> watch(String token, String body) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(server.url() + "/apis/holdfast.dev/v1/watch"))
            .header("Authorization", "Bearer " + token)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  private static BufferedReader lines(HttpResponse<InputStream> answer) {
    assertThat(answer.statusCode()).isEqualTo(200);
    return new BufferedReader(new InputStreamReader(answer.body(), UTF_8));
  }

  /** Returns id, type and name or reason of the next lines that are not bookmarks. */
  private String next(BufferedReader lines) throws Exception {
    JsonNode line = mapper.readTree(lines.readLine());
    while (line.path("type").asText().equals("BOOKMARK")) {
      line = mapper.readTree(lines.readLine());
    }
    String name = line.at("/object/metadata/name").asText();
    String what = name.isEmpty() ? line.at("/object/reason").asText() : name;
    return line.path("id").asText() + " " + line.path("type").asText() + " " + what;
  }

  @Test
  void changesOfAllKindsArriveWithTheirId() throws Exception {
    store.create(Setting.of("first", new SettingSpec("1")));
    try (BufferedReader lines =
        lines(
            watch(
                "[{\"id\":\"s\",\"kind\":\"settings\"},{\"id\":\"n\",\"kind\":\"nodes\","
                    + "\"fieldSelector\":\"metadata.name=n1\"}]"))) {
      assertThat(next(lines)).isEqualTo("s ADDED first");
      store.create(Node.of("n0", NodeSpec.EMPTY));
      store.create(Node.of("n1", NodeSpec.EMPTY));
      assertThat(next(lines)).isEqualTo("n ADDED n1");
      store.create(Setting.of("second", new SettingSpec("2")));
      assertThat(next(lines)).isEqualTo("s ADDED second");
    }
  }

  @Test
  void quietWatchesSendBookmarksWithTheirId() throws Exception {
    try (BufferedReader lines = lines(watch("[{\"id\":\"s\",\"kind\":\"settings\"}]"))) {
      JsonNode line = mapper.readTree(lines.readLine());
      assertThat(line.path("id").asText()).isEqualTo("s");
      assertThat(line.path("type").asText()).isEqualTo("BOOKMARK");
      assertThat(line.at("/object/metadata/resourceVersion").asText()).isNotEmpty();
    }
  }

  @Test
  void entryThatCannotBeWatchedLeavesTheOthers() throws Exception {
    store.create(Setting.of("first", new SettingSpec("1")));
    try (BufferedReader lines =
        lines(
            watch(
                "[{\"id\":\"a\",\"kind\":\"absent\"},{\"id\":\"b\",\"kind\":\"settings\","
                    + "\"labelSelector\":\"((\"},{\"id\":\"s\",\"kind\":\"settings\"}]"))) {
      assertThat(next(lines)).isEqualTo("a ERROR NotFound");
      assertThat(next(lines)).isEqualTo("b ERROR BadRequest");
      assertThat(next(lines)).isEqualTo("s ADDED first");
    }
  }

  @Test
  void watchThatIsTooSlowGets410AndTheOthersContinue() throws Exception {
    WatchRequests requests = requests(Duration.ofHours(1));
    ApiResponse.Streaming answer = open(requests, request -> source -> source);
    // Three settings wait, the fourth is too much, the fifth is ignored; and the node.
    CountDownLatch arrived = new CountDownLatch(5);
    answer.source().open(arrived::countDown);
    for (int i = 0; i < 5; i++) {
      store.create(Setting.of("s" + i, new SettingSpec("1")));
    }
    store.create(Node.of("n1", NodeSpec.EMPTY));
    assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
    String all = writtenUntil(answer, "\"code\":410", "\"id\":\"n\"");
    assertThat(all).contains("{\"id\":\"s\",\"type\":\"ERROR\"");
    store.create(Node.of("n2", NodeSpec.EMPTY));
    assertThat(writtenUntil(answer, "\"n2\"")).doesNotContain("\"id\":\"s\"");
    answer.source().close();
  }

  @Test
  void accessIsDecidedForEachEntry() throws Exception {
    store.create(Setting.of("secret", new SettingSpec("1")));
    store.create(Node.of("n1", NodeSpec.EMPTY));
    ApiResponse.Streaming answer =
        open(
            requests(Duration.ofHours(1)),
            request -> {
              if (request.path().get(3).equals("settings")) {
                throw ApiException.forbidden("not settings");
              }
              return source -> source;
            });
    answer.source().open(() -> {});
    assertThat(writtenUntil(answer, "\"code\":403", "\"n1\""))
        .contains("{\"id\":\"s\",\"type\":\"ERROR\"")
        .doesNotContain("secret");
    answer.source().close();
  }

  @Test
  void entryOfAKindThatTheRoleMayNotReadIsRefused() throws Exception {
    TokenSecret secret = TokenSecret.random();
    AccessToken created =
        store.create(
            AccessToken.of(
                "reader", AccessTokenSpec.EMPTY.withRole("view").withSecretHash(secret.hash())));
    assertThat(created.name()).isEqualTo("reader");
    store.create(Node.of("n1", NodeSpec.EMPTY));
    try (BufferedReader lines =
        lines(
            watch(
                secret.text(),
                """
                [{"id": "t", "kind": "accesstokens"},
                 {"id": "n", "kind": "nodes"}]
                """))) {
      assertThat(List.of(next(lines), next(lines)))
          .containsExactlyInAnyOrder("t ERROR Forbidden", "n ADDED n1");
    }
  }

  @Test
  void expiredWatchReportsItsVersion() throws Exception {
    store.create(Setting.of("first", new SettingSpec("1")));
    ApiResponse.Streaming answer = open(requests(Duration.ZERO), request -> source -> source);
    answer.source().open(() -> {});
    String all =
        writtenUntil(answer, "\"id\":\"s\",\"type\":\"END\"", "\"id\":\"n\",\"type\":\"END\"");
    for (String line : all.lines().toList()) {
      JsonNode change = mapper.readTree(line);
      if (change.path("type").asText().equals("END")) {
        assertThat(change.at("/object/metadata/resourceVersion").asText()).isNotEmpty();
      }
    }
    answer.source().close();
  }

  private WatchRequests requests(Duration lifetime) {
    return new WatchRequests(
        new ResourceReads(
            store,
            new Views(Clock.systemUTC()),
            new WatchSettings(3, Duration.ofHours(1), lifetime, Duration.ofHours(1))));
  }

  private static ApiResponse.Streaming open(
      WatchRequests requests, WatchRequests.AccessCheck access) throws Exception {
    String body = "[{\"id\":\"s\",\"kind\":\"settings\"},{\"id\":\"n\",\"kind\":\"nodes\"}]";
    ApiRequest request =
        ApiRequest.of("POST", List.of(), Map.of(), n -> Optional.empty(), "192.0.2.1")
            .withBody(body);
    return (ApiResponse.Streaming)
        requests.open(request, new ServedKinds(KindCatalogue.load(), new ResourceJson()), access);
  }

  /** Returns what is written until it has all these parts. */
  private static String writtenUntil(ApiResponse.Streaming answer, String... parts) {
    StringBuilder all = new StringBuilder();
    while (!Arrays.stream(parts).allMatch(part -> all.indexOf(part) >= 0)) {
      all.append(written(answer));
      Thread.onSpinWait();
    }
    return all.toString();
  }

  private static String written(ApiResponse.Streaming answer) {
    StringBuilder all = new StringBuilder();
    var piece = answer.source().next();
    while (piece.bytes().hasRemaining()) {
      all.append(UTF_8.decode(piece.bytes().duplicate()));
      piece = answer.source().next();
    }
    return all.toString();
  }

  @Test
  void bodyThatIsNotAListOfWatchesIsRefused() throws Exception {
    for (String body :
        List.of(
            "{",
            "{}",
            "[]",
            "[{\"kind\":\"nodes\"}]",
            "[{\"id\":\"a\",\"kind\":\"nodes\"},{\"id\":\"a\",\"kind\":\"nodes\"}]",
            "[{\"id\":\"a\",\"kind\":\"nodes\",\"other\":1}]")) {
      assertThat(watch(body).statusCode()).as(body).isEqualTo(400);
    }
  }
}
