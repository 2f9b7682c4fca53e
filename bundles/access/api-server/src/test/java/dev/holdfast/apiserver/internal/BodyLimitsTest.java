package dev.holdfast.apiserver.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How much of a body is read, and for whom. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BodyLimitsTest {
  private static final String SETTINGS = "/apis/holdfast.dev/v1/settings";
  private static final String JOIN = "/cluster/v1/join";
  private static final int SMALL = 16 << 10;
  private static final int LARGE = 3_000_000;

  @TempDir private Path directory;
  private TestServer server;
  private SSLContext tls;

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
    tls = server.clientTls();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Sends a head that announces a body, and the beginning of the body. */
  private Socket send(String path, String token, int length, String beginning) throws Exception {
    Socket socket =
        tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(20_000);
    String head =
        String.join(
            "\r\n",
            "POST " + path + " HTTP/1.1",
            "Authorization: Bearer " + token,
            "Connection: close",
            "Content-Type: application/json",
            "Content-Length: " + length,
            "",
            "");
    socket.getOutputStream().write((head + beginning).getBytes(UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  private static String status(Socket socket) throws Exception {
    try (socket) {
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
    }
  }

  private HttpResponse<String> post(String path, String token, String body) throws Exception {
    return HttpClient.newBuilder()
        .sslContext(tls)
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(
            HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void unknownTokenIsRefusedBeforeTheBody() throws Exception {
    assertThat(status(send(SETTINGS, "unknown", LARGE, ""))).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void unknownTokenWithALargeBodyGetsItsAnswer() throws Exception {
    String body = " ".repeat(LARGE);
    assertThat(post(SETTINGS, "unknown", body).statusCode()).isEqualTo(401);
    assertThat(status(send(SETTINGS, "unknown", LARGE, body))).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void bodyWithoutCredentialIsReadUpToItsLimit() throws Exception {
    for (String path : List.of(JOIN, "/livez")) {
      assertThat(status(send(path, "", LARGE, " ".repeat(SMALL + 1)))).startsWith("HTTP/1.1 413 ");
    }
    HttpResponse<String> answer = post(JOIN, "", " ".repeat(SMALL + 1));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("16384 bytes for a request without a token");
  }

  @Test
  void bodyWithoutCredentialMayBeAsLargeAsItsLimit() throws Exception {
    String join = "{\"token\":\"t\",\"request\":\"r\"}";
    assertThat(post(JOIN, "", join + " ".repeat(SMALL - join.length())).body())
        .contains("this node does not manage the members of the cluster");
  }

  @Test
  void moreLargeBodiesThanRequestsAtATimeAreAllAnswered() throws Exception {
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      String body =
          "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Setting\",\"metadata\":{\"name\":\"s"
              + i
              + "\"},\"spec\":{\"value\":\"1\"}}"
              + " ".repeat(2 * SMALL);
      clients.add(send(SETTINGS, server.token(), body.length(), body));
    }
    for (Socket client : clients) {
      assertThat(status(client)).startsWith("HTTP/1.1 201 ");
    }
  }
}
