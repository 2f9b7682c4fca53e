package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subresources of other bundles: bodies that stream both ways, larger than any document. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ExtensionsTest {
  private static final int LARGE = 8 << 20;

  @TempDir private Path directory;
  private final byte[] content = new byte[LARGE];
  private TestServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    new Random(1).nextBytes(content);
    server = new TestServer(directory);
    server.add(new Mirror());
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(server.clientTls())
            .build();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Sends back the received body; fails if its parameter says so. */
  private static final class Mirror implements ApiExtension {
    @Override
    public String plural() {
      return "volumes";
    }

    @Override
    public String subresource() {
      return "mirror";
    }

    @Override
    public Set<String> methods() {
      return Set.of("POST");
    }

    @Override
    public void handle(ExtensionRequest request, ExtensionResponse response)
        throws StorageException, IOException {
      String failure = request.parameters().getOrDefault("fail", "");
      if (failure.equals("early")) {
        throw new StorageException(ErrorCode.NO_SPACE, request.name() + " is full");
      }
      byte[] received = request.body().readAllBytes();
      try (OutputStream out =
          response.begin(200, "application/octet-stream", received.length, Map.of("X-A", "b"))) {
        if (failure.equals("late")) {
          out.write(received, 0, received.length / 2);
          throw new StorageException(ErrorCode.IO, "the disk failed");
        }
        out.write(received);
      }
    }
  }

  private HttpResponse<byte[]> post(String path, String token, HttpRequest.BodyPublisher body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + "/apis/holdfast.dev/v1/volumes/" + path))
            .header("Authorization", "Bearer " + token)
            .POST(body)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpRequest.BodyPublisher whole() {
    return HttpRequest.BodyPublishers.ofByteArray(content);
  }

  @Test
  void largeBodiesStreamBothWays() throws Exception {
    HttpResponse<byte[]> answer = post("v/mirror", server.token(), whole());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-A")).contains("b");
    assertThat(Arrays.equals(answer.body(), content)).isTrue();
  }

  @Test
  void chunkedBodyIsReceivedWhole() throws Exception {
    InputStream stream = new ByteArrayInputStream(content);
    HttpResponse<byte[]> answer =
        post("v/mirror", server.token(), HttpRequest.BodyPublishers.ofInputStream(() -> stream));

    assertThat(Arrays.equals(answer.body(), content)).isTrue();
  }

  @Test
  void refusalIsAStatus() throws Exception {
    HttpResponse<byte[]> answer =
        post(
            "v/mirror?fail=early",
            server.token(),
            HttpRequest.BodyPublishers.ofString("a small body"));

    assertThat(answer.statusCode()).isEqualTo(507);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("v is full");
  }

  @Test
  void clientSeesThatAnAnswerIsCutOff() {
    assertThatThrownBy(() -> post("v/mirror?fail=late", server.token(), whole()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void callerWithoutTokenIsRefusedBeforeTheExtensionIsCalled() throws Exception {
    HttpResponse<byte[]> answer =
        post("v/mirror", "wrong", HttpRequest.BodyPublishers.ofString("a small body"));

    assertThat(answer.statusCode()).isEqualTo(401);
  }

  @Test
  void otherSubresourceIsNotFound() throws Exception {
    HttpResponse<byte[]> answer =
        post("v/other", server.token(), HttpRequest.BodyPublishers.ofString("{}"));

    assertThat(answer.statusCode()).isBetween(404, 405);
  }
}
