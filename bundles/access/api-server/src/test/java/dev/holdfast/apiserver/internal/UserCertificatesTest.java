package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessBindingSpec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Users of the API who show certificates that openssl made. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UserCertificatesTest {
  private static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";
  private static final String VOLUME =
      "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Volume\",\"metadata\":{\"name\":\"v\"},"
          + "\"spec\":{\"size\":\"16Mi\"}}";

  @TempDir private Path directory;
  private TestServer server;
  private TestAuthority authority;

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory.resolve("data"));
    AccessBinding unused = server.store().create(binding("readers", "view", "cert:storage"));
    AccessBinding unusedToo = server.store().create(binding("others", "admin", "storage"));
    authority = TestAuthority.create(directory.resolve("authority"));
    authority.user("alice", "/O=storage/CN=alice", 1);
    Files.copy(authority.certificate(), server.userAuthorities());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static AccessBinding binding(String name, String role, String group) {
    return AccessBinding.of(name, new AccessBindingSpec(role, List.of(), List.of(group)));
  }

  private HttpClient client(KeyManager... keys) throws Exception {
    return HttpClient.newBuilder().sslContext(server.clientTls(keys)).build();
  }

  private HttpRequest.Builder request(String method, String body) {
    return HttpRequest.newBuilder(URI.create(server.url() + VOLUMES))
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void userHasTheRightsOfTheBindingsOfItsGroups(HttpClient.Version version) throws Exception {
    HttpClient alice =
        HttpClient.newBuilder()
            .version(version)
            .sslContext(server.clientTls(authority.keys("alice")))
            .build();

    assertThat(send(alice, request("GET", "")).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = send(alice, request("POST", VOLUME));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("cert:alice");
  }

  @Test
  void tokenCountsBeforeTheCertificate() throws Exception {
    HttpClient alice = client(authority.keys("alice"));

    HttpRequest.Builder withToken =
        request("POST", VOLUME).header("Authorization", "Bearer " + server.token());
    assertThat(send(alice, withToken).statusCode()).isEqualTo(201);
    HttpRequest.Builder wrong = request("GET", "").header("Authorization", "Bearer x");
    assertThat(send(alice, wrong).statusCode()).isEqualTo(401);
  }

  /** A browser shows the certificate whichever page makes it send a request. */
  @Test
  void requestOfAPageNeedsMoreThanTheCertificate() throws Exception {
    HttpClient alice = client(authority.keys("alice"));

    HttpRequest.Builder foreign = request("GET", "").header("Origin", "https://evil.example");
    assertThat(send(alice, foreign).statusCode()).isEqualTo(401);
    HttpRequest.Builder image = request("GET", "").header("Sec-Fetch-Site", "cross-site");
    assertThat(send(alice, image).statusCode()).isEqualTo(401);
  }

  @Test
  void certificateOfAnotherAuthorityIsRefused() throws Exception {
    TestAuthority other = TestAuthority.create(directory.resolve("other"));
    other.user("alice", "/O=storage/CN=alice", 1);

    // Both authorities have one name, so that the client shows its certificate.
    assertThatThrownBy(() -> send(client(other.keys("alice")), request("GET", "")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void expiredCertificateIsRefused() throws Exception {
    authority.user("bob", "/O=storage/CN=bob", -1);

    assertThatThrownBy(() -> send(client(authority.keys("bob")), request("GET", "")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void certificateWithoutANameIsRefusedWithTheReason() throws Exception {
    authority.user("nameless", "/O=storage", 1);

    HttpResponse<String> answer = send(client(authority.keys("nameless")), request("GET", ""));
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("has no CN");
  }

  @Test
  void removedAuthorityEndsTheRightsOnAnOpenConnection() throws Exception {
    HttpClient alice = client(authority.keys("alice"));
    assertThat(send(alice, request("GET", "")).statusCode()).isEqualTo(200);

    Files.delete(server.userAuthorities());
    server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));

    HttpResponse<String> answer = send(alice, request("GET", ""));
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("the certificate is not admitted");
  }

  @Test
  void serverWithoutAuthoritiesAsksForNoCertificate() throws Exception {
    Files.delete(server.userAuthorities());

    assertThat(send(client(authority.keys("alice")), request("GET", "")).statusCode())
        .isEqualTo(401);
  }
}
