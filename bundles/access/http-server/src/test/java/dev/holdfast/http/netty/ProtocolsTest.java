package dev.holdfast.http.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpLane;
import dev.holdfast.http.HttpLimits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Behaviour of both versions of HTTP, tested with the JDK's client. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ProtocolsTest {
  @TempDir Path directory;
  private TestRouter router;
  private NettyHttpServer server;

  @BeforeEach
  void start() throws Exception {
    router = new TestRouter(directory);
    server =
        router.start(
            HttpLimits.DEFAULT.withConnections(
                new HttpLimits.Connections(4096, 256, 256, 256, 256)));
  }

  @AfterEach
  void stop() {
    router.released.countDown();
    server.close();
  }

  private HttpClient client(HttpClient.Version version) throws Exception {
    return HttpClient.newBuilder().version(version).sslContext(router.clientTls()).build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + path));
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void clientGetsItsProtocolAndItsAnswer(HttpClient.Version version) throws Exception {
    HttpClient client = client(version);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer =
          client.send(request("/path/a%2Fb?c=d%20e").build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.version()).isEqualTo(version);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("GET [path, a/b] {c=[d e]}");
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void bodiesOfAllSizesAreEchoed(HttpClient.Version version) throws Exception {
    HttpClient client = client(version);
    for (int size : List.of(0, 1, 16 << 10, (16 << 10) + 1, 100_000, TestRouter.LARGEST)) {
      byte[] body = new byte[size];
      new Random(size).nextBytes(body);
      HttpResponse<byte[]> answer =
          client.send(
              request("/echo").POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(Arrays.equals(answer.body(), body)).as("%s bytes", size).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void streamsAreMirroredWhileTheyArrive(HttpClient.Version version) throws Exception {
    byte[] body = new byte[5_000_000];
    new Random(5).nextBytes(body);
    HttpResponse<byte[]> answer =
        client(version)
            .send(
                request("/stream").POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
                HttpResponse.BodyHandlers.ofByteArray());
    assertThat(Arrays.equals(answer.body(), body)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void bodyThatIsTooLargeGets413(HttpClient.Version version) throws Exception {
    HttpResponse<String> answer =
        client(version)
            .send(
                request("/echo")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[TestRouter.LARGEST + 1]))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).startsWith("refused: the body is larger than the limit of");
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void livenessIsAnsweredWhileAllRequestsBlock(HttpClient.Version version) throws Exception {
    HttpClient client = client(version);
    List<CompletableFuture<HttpResponse<String>>> blocked = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      blocked.add(
          client.sendAsync(
              request("/block").header("Authorization", "x").build(),
              HttpResponse.BodyHandlers.ofString()));
    }
    assertThat(router.blocked.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(client.send(request("/live").build(), HttpResponse.BodyHandlers.ofString()).body())
        .isEqualTo("ok");
    router.released.countDown();
    for (CompletableFuture<HttpResponse<String>> one : blocked) {
      assertThat(one.get().body()).isEqualTo("released");
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void decisionsThatBlockDelayNoOtherConnection(HttpClient.Version version) throws Exception {
    byte[] body = new byte[200_000];
    new Random(7).nextBytes(body);
    List<CompletableFuture<HttpResponse<byte[]>>> later = new ArrayList<>();
    for (int i = 0; i < HttpLane.ADMISSION.threads(); i++) {
      later.add(
          client(version)
              .sendAsync(
                  request(i % 2 == 0 ? "/later/echo" : "/later/stream")
                      .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                      .build(),
                  HttpResponse.BodyHandlers.ofByteArray()));
    }
    router.deciding.await();
    HttpClient other = client(version);
    assertThat(other.send(request("/live").build(), HttpResponse.BodyHandlers.ofString()).body())
        .isEqualTo("ok");
    CompletableFuture<HttpResponse<String>> waiting =
        other.sendAsync(request("/later/path").build(), HttpResponse.BodyHandlers.ofString());

    router.released.countDown();
    for (CompletableFuture<HttpResponse<byte[]>> each : later) {
      assertThat(Arrays.equals(each.get().body(), body)).isTrue();
    }
    assertThat(waiting.get().body()).isEqualTo("GET [path] {}");
  }
}
