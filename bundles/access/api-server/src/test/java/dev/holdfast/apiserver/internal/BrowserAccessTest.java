package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.RootExtension;
import dev.holdfast.access.RootRequest;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths of other bundles, and browsers that send a cookie instead of a token. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BrowserAccessTest {
  private static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";

  @TempDir private Path directory;
  private final AtomicReference<String> credential = new AtomicReference<>("");
  private TestServer server;
  private HttpClient client;

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

  /** Answers with its path, and with the credential of the token in the header X-Token. */
  private static final class Echo implements RootExtension {
    @Override
    public String root() {
      return "echo";
    }

    @Override
    public void handle(RootRequest request, ExtensionResponse response)
        throws StorageException, IOException {
      String known =
          request.tokens().credentialOf(request.header("X-Token").orElse("")).orElse("unknown");
      byte[] answer =
          (String.join(" ", request.path()) + " " + request.directory() + " " + known)
              .getBytes(StandardCharsets.UTF_8);
      try (OutputStream out =
          response.begin(200, "text/plain", answer.length, Map.of("Cache-Control", "no-store"))) {
        out.write(answer);
      }
    }
  }

  /** Admits reads of a client that sends the cookie. */
  private final class Cookies implements BrowserSessions {
    @Override
    public Optional<String> credentialOf(
        String method, boolean changes, Function<String, Optional<String>> headers)
        throws StorageException {
      if (headers.apply("Cookie").isEmpty()) {
        return Optional.empty();
      }
      if (changes) {
        throw new StorageException(ErrorCode.FORBIDDEN, "this browser only reads");
      }
      return Optional.of(credential.get());
    }
  }

  private HttpResponse<String> send(String method, String path, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private String knownCredential() throws Exception {
    String[] words = send("GET", "/echo/", "X-Token", server.token()).body().split(" ", -1);
    return words[words.length - 1];
  }

  @Test
  void pathOfAnExtensionNeedsNoToken() throws Exception {
    server.add(new Echo());

    HttpResponse<String> answer = send("GET", "/echo/a%20b/c");

    assertThat(answer.body()).isEqualTo("echo a b c false unknown");
    assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
  }

  @Test
  void extensionReceivesWhetherATokenIsValid() throws Exception {
    server.add(new Echo());

    assertThat(knownCredential()).isNotEqualTo("unknown").isNotEqualTo(server.token());
    assertThat(send("GET", "/echo/", "X-Token", "wrong").body()).endsWith(" true unknown");
  }

  @Test
  void browserIsSentToTheExtensionAndOtherClientsAreNot() throws Exception {
    server.add(new Echo());

    HttpResponse<String> browser = send("GET", "/", "Accept", "text/html,*/*;q=0.8");

    assertThat(browser.statusCode()).isEqualTo(302);
    assertThat(browser.headers().firstValue("Location")).contains("echo/");
    assertThat(send("GET", "/", "Accept", "application/json").statusCode()).isEqualTo(401);
  }

  @Test
  void cookieHasTheRightsOfItsCredential() throws Exception {
    server.add(new Echo());
    server.add(new Cookies());
    credential.set(knownCredential());

    assertThat(send("GET", VOLUMES, "Cookie", "a=b").statusCode()).isEqualTo(200);
    assertThat(send("GET", VOLUMES).statusCode()).isEqualTo(401);
  }

  @Test
  void cookieOfAReplacedCredentialIsRefused() throws Exception {
    server.add(new Cookies());
    credential.set("credential-of-a-former-token");

    assertThat(send("GET", VOLUMES, "Cookie", "a=b").statusCode()).isEqualTo(401);
  }

  @Test
  void refusedWriteOfABrowserIsForbiddenWithItsReason() throws Exception {
    server.add(new Cookies());

    HttpResponse<String> answer = send("DELETE", VOLUMES + "/v", "Cookie", "a=b");

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("this browser only reads");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/apis/holdfast.dev/v1/watch",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews"
      })
  void browserThatOnlyReadsMayAskByPost(String path) throws Exception {
    server.add(new Echo());
    server.add(new Cookies());
    credential.set(knownCredential());

    HttpResponse<String> answer = send("POST", path, "Cookie", "a=b");

    assertThat(answer.body()).doesNotContain("this browser only reads");
    assertThat(answer.statusCode()).isNotEqualTo(403);
  }

  @Test
  void browserWaitsWhileTheBundleOfItsSessionIsReplaced() throws Exception {
    assertThat(send("GET", VOLUMES, "Cookie", "a=b").statusCode()).isEqualTo(503);
    assertThat(send("GET", VOLUMES).statusCode()).isEqualTo(401);
  }

  @Test
  void tokenCountsBesideACookie() throws Exception {
    server.add(new Cookies());

    HttpResponse<String> answer =
        send("GET", VOLUMES, "Cookie", "a=b", "Authorization", "Bearer " + server.token());

    assertThat(answer.statusCode()).isEqualTo(200);
  }
}
