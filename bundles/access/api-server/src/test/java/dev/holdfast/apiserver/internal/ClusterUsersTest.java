package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.RootExtension;
import dev.holdfast.access.RootRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users of the cluster that keeps the resources, at the API. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClusterUsersTest {
  private static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";
  private static final String VOLUME =
      "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Volume\",\"metadata\":{\"name\":\"v\"},"
          + "\"spec\":{\"size\":\"16Mi\"}}";

  @TempDir private Path directory;
  private TestServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
    client = HttpClient.newBuilder().sslContext(server.clientTls()).build();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Knows the token "reader", whose user may list. */
  private static final class Cluster implements ClusterUsers {
    private final CountDownLatch reviewing;
    private final CountDownLatch answers;

    Cluster() {
      this(new CountDownLatch(0), new CountDownLatch(0));
    }

    /** One that counts reviews, and ends each one when {@code answers} is at zero. */
    Cluster(CountDownLatch reviewing, CountDownLatch answers) {
      this.reviewing = reviewing;
      this.answers = answers;
    }

    @Override
    public Optional<UserCredential> known(String token) {
      return Optional.empty();
    }

    @Override
    public Optional<UserCredential> review(String token) throws StorageException {
      reviewing.countDown();
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.UNREACHABLE, "interrupted", e);
      }
      if (token.equals("down")) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the cluster is down");
      }
      return token.equals("reader")
          ? Optional.of(
              new UserCredential("cluster", "kubernetes:reader", List.of("kubernetes:people")))
          : Optional.empty();
    }

    @Override
    public boolean accepts(UserCredential user) {
      return user.issuer().equals("cluster");
    }

    @Override
    public AccessDecision decide(Caller caller, AccessRequest request) {
      return request.verb().equals("list")
          ? new AccessDecision(true, "the cluster says so")
          : AccessDecision.refused("the cluster does not permit to " + request.text());
    }
  }

  /** Tells to whom it answered. */
  private static final class Greeting implements ApiDocument {
    static final String PATH = "/apis/holdfast.dev/v1/greeting";

    @Override
    public String path() {
      return PATH;
    }

    @Override
    public void handle(ExtensionRequest request, ExtensionResponse response) throws IOException {
      byte[] text = "hello".getBytes(StandardCharsets.UTF_8);
      try (OutputStream out = response.begin(200, "text/plain", text.length, Map.of())) {
        out.write(text);
      }
    }
  }

  /** Answers with the credential of the token that is in the address. */
  private static final class TokenCredential implements RootExtension {
    @Override
    public String root() {
      return "credential";
    }

    @Override
    public void handle(RootRequest request, ExtensionResponse response)
        throws StorageException, IOException {
      byte[] answer =
          request
              .tokens()
              .credentialOf(request.path().get(1))
              .orElse("unknown")
              .getBytes(StandardCharsets.UTF_8);
      try (OutputStream out = response.begin(200, "text/plain", answer.length, Map.of())) {
        out.write(answer);
      }
    }
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The status of a list by a browser whose session has a credential. */
  private int browse(String credential) throws Exception {
    server.add(
        (BrowserSessions)
            (method, changes, headers) -> headers.apply("Cookie").map(cookie -> credential));
    return get(VOLUMES, "Cookie", "a=b").statusCode();
  }

  @Test
  void tokenOfTheClusterBeginsASessionThatDoesNotHaveIt() throws Exception {
    server.add(new Cluster());
    server.add(new TokenCredential());

    String credential = get("/credential/reader").body();

    assertThat(credential).startsWith("until.").doesNotContain("reader");
    assertThat(get("/credential/stranger").body()).isEqualTo("unknown");
    assertThat(get("/credential/down").statusCode()).isEqualTo(503);
    assertThat(browse(credential)).isEqualTo(200);
  }

  @Test
  void signInByATokenOfTheClusterHasAnAuditLineWithItsUser() throws Exception {
    server.add(new Cluster());
    server.add(new TokenCredential());

    assertThat(get("/credential/reader").statusCode()).isEqualTo(200);

    AuditEvent line = server.audit().events().get(0);
    assertThat(line.subject().user()).isEqualTo("kubernetes:reader");
    assertThat(line.subject().groups()).contains("kubernetes:people");
    assertThat(line.code()).isEqualTo(200);
    assertThat(line.annotations())
        .containsEntry(AuditEvent.DECISION, "allow")
        .containsEntry(AuditEvent.REASON, "signed in by a token");
    server.audit().forget();

    assertThat(get("/credential/stranger").body()).isEqualTo("unknown");

    AuditEvent refused = server.audit().events().get(0);
    assertThat(refused.code()).isEqualTo(401);
    assertThat(refused.annotations()).containsEntry(AuditEvent.DECISION, "forbid");
  }

  @Test
  void sessionEndsWithItsTime() throws Exception {
    server.add(new Cluster());
    String user = new UserCredential("cluster", "kubernetes:reader", List.of()).text();

    assertThat(browse("until." + Instant.now().minusSeconds(1).getEpochSecond() + "." + user))
        .isEqualTo(401);
  }

  @Test
  void sessionOfAnotherClusterIsRefused() throws Exception {
    server.add(new Cluster());
    String user = new UserCredential("earlier", "kubernetes:reader", List.of()).text();

    assertThat(browse("until." + Instant.now().plusSeconds(60).getEpochSecond() + "." + user))
        .isEqualTo(401);
  }

  private HttpResponse<String> send(String method, String token, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + VOLUMES))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void clusterDecidesAboutItsUsers() throws Exception {
    server.add(new Cluster());

    assertThat(send("GET", "reader", "").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = send("POST", "reader", VOLUME);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("the cluster does not permit to create volumes");
  }

  @Test
  void tokenUnknownToTheClusterIsRejected() throws Exception {
    server.add(new Cluster());

    assertThat(send("GET", "stranger", "").statusCode()).isEqualTo(401);
    assertThat(send("GET", "down", "").statusCode()).isEqualTo(503);
    assertThat(send("GET", server.token(), "").statusCode()).isEqualTo(200);
  }

  @Test
  void nodeOutsideOfAClusterAcceptsNoneOfItsUsers() throws Exception {
    assertThat(send("GET", "reader", "").statusCode()).isEqualTo(401);
  }

  @Test
  void slowReviewDelaysNoOtherConnection() throws Exception {
    int slow = 8;
    // As many as the server has event loops.
    CountDownLatch reviewing = new CountDownLatch(2);
    CountDownLatch answers = new CountDownLatch(1);
    server.add(new Cluster(reviewing, answers));
    server.add(new Greeting());
    HttpRequest greeting =
        HttpRequest.newBuilder(URI.create(server.url() + Greeting.PATH))
            .header("Authorization", "Bearer reader")
            .build();

    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < slow; i++) {
      HttpClient other = HttpClient.newBuilder().sslContext(server.clientTls()).build();
      waiting.add(other.sendAsync(greeting, HttpResponse.BodyHandlers.ofString()));
    }
    reviewing.await();

    assertThat(send("GET", server.token(), "").statusCode()).isEqualTo(200);
    answers.countDown();
    for (CompletableFuture<HttpResponse<String>> each : waiting) {
      assertThat(each.get().body()).isEqualTo("hello");
    }
  }
}
