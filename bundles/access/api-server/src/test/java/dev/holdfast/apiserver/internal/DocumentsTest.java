package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.ExtensionResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Documents of other bundles, at paths that are not resources. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DocumentsTest {
  @TempDir private Path directory;
  private TestServer server;
  private HttpClient client;

  /** Replies with the requested path. */
  private record Echo(String path) implements ApiDocument {
    @Override
    public void handle(ExtensionRequest request, ExtensionResponse response) throws IOException {
      String accept = request.headers().apply("Accept").orElse("");
      byte[] body = (request.parameters() + " " + accept).getBytes(StandardCharsets.UTF_8);
      try (OutputStream out =
          response.begin(200, "text/x", body.length, Map.of("Vary", "Accept"))) {
        out.write(body);
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
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

  private HttpResponse<String> send(String method, String path, String token) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Authorization", "Bearer " + token)
            .header("Accept", "text/x")
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void documentIsServedAtItsPathAlsoBelowTheGroup() throws Exception {
    assertThat(send("GET", "/figures", server.token()).statusCode()).isEqualTo(404);
    server.add(new Echo("/figures"));
    server.add(new Echo("/apis/holdfast.dev/v1/report"));

    HttpResponse<String> answer = send("GET", "/figures?group=a,b", server.token());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{group=a,b} text/x");
    assertThat(answer.headers().firstValue("Vary")).contains("Accept");
    assertThat(send("GET", "/apis/holdfast.dev/v1/report", server.token()).statusCode())
        .isEqualTo(200);
    assertThat(send("GET", "/figures/more", server.token()).statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/figures", server.token()).statusCode()).isEqualTo(404);
  }

  @Test
  void callerWithoutTokenIsRefused() throws Exception {
    server.add(new Echo("/figures"));
    assertThat(send("GET", "/figures", "wrong").statusCode()).isEqualTo(401);
  }
}
