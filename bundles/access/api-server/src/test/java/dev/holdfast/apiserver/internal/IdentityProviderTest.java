package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessBindingSpec;
import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users of an identity provider at the API: tokens, sessions of browsers, and rights. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class IdentityProviderTest {
  private static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";
  private static final String ISSUER = "https://login.example";
  private static final String VOLUME =
      "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Volume\",\"metadata\":{\"name\":\"v\"},"
          + "\"spec\":{\"size\":\"16Mi\"}}";

  @TempDir private Path directory;
  private final Users users = new Users();
  private TestServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    ResourceStore store = new MemoryResourceStore();
    AccessBinding unused = store.create(binding("by-group", "view", "", "oidc:storage"));
    AccessBinding unusedToo = store.create(binding("by-name", "operate", "oidc:carol", ""));
    AccessBinding unusedAlso = store.create(binding("admins", "admin", "", "administrators"));
    server = new TestServer(directory, store, WatchSettings.DEFAULT);
    server.add(users);
    client = HttpClient.newBuilder().sslContext(server.clientTls()).build();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static AccessBinding binding(String name, String role, String user, String group) {
    return AccessBinding.of(
        name,
        new AccessBindingSpec(
            role,
            user.isEmpty() ? List.of() : List.of(user),
            group.isEmpty() ? List.of() : List.of(group)));
  }

  private static UserCredential user(String name, String... groups) {
    return new UserCredential(ISSUER, name, List.of(groups));
  }

  /** Knows the tokens a.NAME.c, and none before they were verified. */
  private static final class Users implements IdentityProvider {
    boolean accepts = true;

    @Override
    public boolean isConfigured() {
      return true;
    }

    @Override
    public Optional<UserCredential> known(String token) {
      return Optional.empty();
    }

    @Override
    public UserCredential verify(String token) throws StorageException {
      return switch (token) {
        case "a.alice.c" -> user("oidc:alice", "oidc:storage");
        case "a.bob.c" -> user("oidc:bob", "oidc:administrators");
        case "a.carol.c" -> user("oidc:carol");
        case "a.down.c" ->
            throw new StorageException(ErrorCode.UNREACHABLE, "the provider is down");
        default -> throw new StorageException(ErrorCode.FORBIDDEN, "the token expired");
      };
    }

    @Override
    public boolean accepts(UserCredential user) {
      return accepts && user.issuer().equals(ISSUER);
    }

    @Override
    public URI begin(SignInRequest request) {
      throw new IllegalStateException("the API server does not sign in");
    }

    @Override
    public UserCredential finish(SignInRequest request, String code) {
      throw new IllegalStateException("the API server does not sign in");
    }
  }

  private HttpResponse<String> send(String method, String header, String value, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + VOLUMES))
            .header(header, value)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private int read(String token) throws Exception {
    return send("GET", "Authorization", "Bearer " + token, "").statusCode();
  }

  private int write(String token) throws Exception {
    return send("POST", "Authorization", "Bearer " + token, VOLUME).statusCode();
  }

  @Test
  void userHasTheRightsOfTheBindingsOfItsGroups() throws Exception {
    assertThat(read("a.alice.c")).isEqualTo(200);
    assertThat(write("a.alice.c")).isEqualTo(403);
  }

  @Test
  void userHasTheRightsOfTheBindingsOfItsName() throws Exception {
    assertThat(write("a.carol.c")).isEqualTo(201);
  }

  @Test
  void userWithoutABindingHasNoRights() throws Exception {
    // The group of the binding has no prefix, so that it is not one of the provider.
    assertThat(read("a.bob.c")).isEqualTo(403);
  }

  @Test
  void rejectionOfATokenNamesTheReason() throws Exception {
    HttpResponse<String> answer = send("GET", "Authorization", "Bearer a.old.c", "");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("the token expired");
  }

  @Test
  void tokenThatCannotBeCheckedNowMayBeSentAgain() throws Exception {
    HttpResponse<String> answer = send("GET", "Authorization", "Bearer a.down.c", "");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("the provider is down");
  }

  /** Admits the user alice by any cookie. */
  private static final class AliceSession implements BrowserSessions {
    @Override
    public Optional<String> credentialOf(
        String method, boolean changes, Function<String, Optional<String>> headers) {
      return headers.apply("Cookie").map(cookie -> user("oidc:alice", "oidc:storage").text());
    }
  }

  @Test
  void sessionEndsWhenTheClusterNoLongerUsesTheProvider() throws Exception {
    server.add(new AliceSession());
    assertThat(send("GET", "Cookie", "a=b", "").statusCode()).isEqualTo(200);
    assertThat(send("POST", "Cookie", "a=b", VOLUME).statusCode()).isEqualTo(403);

    users.accepts = false;

    assertThat(send("GET", "Cookie", "a=b", "").statusCode()).isEqualTo(401);
  }

  @Test
  void credentialOfASessionIsReadAsItWasWritten() {
    UserCredential odd = user("oidc:a.b c", "oidc:ü", "oidc:.");

    assertThat(UserCredential.parse(odd.text())).contains(odd);
    assertThat(odd.text()).matches("[A-Za-z0-9._-]+");
    assertThat(UserCredential.parse("credential-of-a-token")).isEmpty();
    assertThat(UserCredential.parse("user.!.!")).isEmpty();
  }
}
