package dev.holdfast.oidc.internal;

import static dev.holdfast.oidc.internal.TestIssuer.CLIENT;
import static dev.holdfast.oidc.internal.TestIssuer.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWKSet;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Discovery, codes and tokens, with a server whose answers are planted. */
class OidcIdentityProviderTest {
  private static final SignInRequest SIGN_IN =
      new SignInRequest(URI.create("https://node/page/v1/oidc/callback"), "st", "no", "verifier");

  private final TestIssuer keys = new TestIssuer("key-1");
  private final Map<String, String> answers = new HashMap<>();
  private final Map<String, String> secret = new HashMap<>();
  private Instant now = NOW;
  private String form = "";
  private String authorization = "";
  private int keyReads;
  private HttpServer server;
  private String issuer;
  private OidcIdentityProvider provider;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    issuer = "http://127.0.0.1:" + server.getAddress().getPort();
    answers.put("/.well-known/openid-configuration", metadata(issuer));
    answers.put("/jwks", new JWKSet(keys.key.toPublicJWK()).toString());
    provider =
        new OidcIdentityProvider(
            name ->
                secret.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        Map.of(
                            OidcIdentityProvider.SECRET_KEY,
                            secret.get(name).getBytes(StandardCharsets.UTF_8))),
            () -> now);
    provider.configure(new OidcSettings(issuer, CLIENT, "sub", "groups"));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String metadata(String name) {
    return """
        {"issuer": "%s", "authorization_endpoint": "%s/auth", "token_endpoint": "%s/token",
         "jwks_uri": "%s/jwks"}
        """
        .formatted(name, issuer, issuer, issuer);
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/token")) {
      form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      authorization =
          Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")).orElse("");
    } else if (path.equals("/jwks")) {
      keyReads++;
    }
    byte[] body = answers.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String token() {
    return keys.token(TestIssuer.claims(issuer).build());
  }

  private void answerCode(String nonce) {
    String token = keys.token(TestIssuer.claims(issuer).claim("nonce", nonce).build());
    answers.put("/token", "{\"id_token\": \"" + token + "\"}");
  }

  private static void refuses(ErrorCode code, String reason, ThrowingCall call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(reason);
  }

  /** A call that fails. */
  private interface ThrowingCall {
    void run() throws Exception;
  }

  @Test
  void tokenOfAClientOfTheApiNamesItsUser() throws Exception {
    String token = token();
    assertThat(provider.known(token)).isEmpty();

    UserCredential user = provider.verify(token);

    assertThat(user.name()).isEqualTo("oidc:alice");
    assertThat(user.groups()).containsExactly("oidc:storage", "oidc:visitors");
    assertThat(provider.known(token)).contains(user);
    assertThat(provider.accepts(user)).isTrue();
  }

  @Test
  void verifiedTokenEndsWithItsTime() throws Exception {
    String token = token();
    UserCredential unused = provider.verify(token);
    now = NOW.plusSeconds(300);

    assertThat(provider.known(token)).isEmpty();
  }

  @Test
  void keysAreNotReadForEachTokenOfAnUnknownKey() throws Exception {
    UserCredential unused = provider.verify(token());
    String unknown = new TestIssuer("key-2").token(TestIssuer.claims(issuer).build());
    for (int i = 0; i < 20; i++) {
      refuses(ErrorCode.FORBIDDEN, "does not publish", () -> provider.verify(unknown));
    }

    assertThat(keyReads).isLessThanOrEqualTo(3);
  }

  @Test
  void browserIsSentWithTheHashOfTheVerifierOnly() throws Exception {
    String address = provider.begin(SIGN_IN).toString();

    assertThat(address)
        .startsWith(issuer + "/auth?response_type=code&client_id=holdfast&")
        .contains("&state=st&nonce=no&", "&code_challenge_method=S256")
        .contains("&redirect_uri=https%3A%2F%2Fnode%2Fpage%2Fv1%2Foidc%2Fcallback&")
        .contains("&code_challenge=iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ&")
        .doesNotContain("verifier");
  }

  @Test
  void codeOfAPublicClientIsExchanged() throws Exception {
    answerCode("no");

    assertThat(provider.finish(SIGN_IN, "code 1").name()).isEqualTo("oidc:alice");
    assertThat(form)
        .contains("grant_type=authorization_code", "code=code+1", "code_verifier=verifier")
        .contains("client_id=holdfast");
    assertThat(authorization).isEmpty();
  }

  @Test
  void clientWithASecretSendsItInTheHeaderOnly() throws Exception {
    answerCode("no");
    secret.put(OidcIdentityProvider.SECRET, "pass:word\n");

    UserCredential unused = provider.finish(SIGN_IN, "c");

    assertThat(authorization).isEqualTo("Basic aG9sZGZhc3Q6cGFzcyUzQXdvcmQ=");
    assertThat(form).doesNotContain("pass", "client_id");
  }

  @Test
  void tokenWithTheNonceOfAnotherSignInIsRefused() {
    answerCode("other");

    refuses(ErrorCode.FORBIDDEN, "the nonce of the token", () -> provider.finish(SIGN_IN, "c"));
  }

  @Test
  void rejectedCodeIsReported() {
    refuses(
        ErrorCode.FORBIDDEN,
        "the identity provider refused the sign-in: 404",
        () -> provider.finish(SIGN_IN, "c"));
  }

  @Test
  void providerWithAnotherNameIsRefused() {
    answers.put("/.well-known/openid-configuration", metadata("https://evil.example"));

    refuses(
        ErrorCode.INVALID, "calls itself \"https://evil.example\"", () -> provider.verify(token()));
  }

  @Test
  void providerThatSendsKeysWithoutEncryptionIsRefused() {
    answers.put(
        "/.well-known/openid-configuration",
        metadata(issuer).replace(issuer + "/jwks", "http://login.example/jwks"));

    refuses(ErrorCode.INVALID, "jwks_uri of the identity provider", () -> provider.verify(token()));
  }

  @Test
  void callOfAnUnreachableProviderIsRepeated() throws Exception {
    String metadata = answers.remove("/.well-known/openid-configuration");
    refuses(ErrorCode.UNREACHABLE, "answered 404", () -> provider.verify(token()));
    answers.put("/.well-known/openid-configuration", metadata);

    assertThat(provider.verify(token()).name()).isEqualTo("oidc:alice");
  }

  @Test
  void otherIssuerEndsSessionsAndTokens() throws Exception {
    String token = token();
    UserCredential user = provider.verify(token);
    provider.configure(new OidcSettings("https://login.example", CLIENT, "sub", "groups"));
    assertThat(provider.accepts(user)).isFalse();
    assertThat(provider.known(token)).isEmpty();
    provider.configure(OidcSettings.NONE);

    assertThat(provider.isConfigured()).isFalse();
    refuses(ErrorCode.FORBIDDEN, "uses no identity provider", () -> provider.verify(token));
  }

  @Test
  void otherClaimsNameTheUser() throws Exception {
    provider.configure(new OidcSettings(issuer, CLIENT, "email", "roles"));
    String verified =
        keys.token(
            TestIssuer.claims(issuer)
                .claim("email", "a@example.org")
                .claim("email_verified", true)
                .claim("roles", "one")
                .build());
    UserCredential user = provider.verify(verified);

    assertThat(user.name()).isEqualTo("oidc:a@example.org");
    assertThat(user.groups()).isEqualTo(List.of("oidc:one"));
    String unverified =
        keys.token(TestIssuer.claims(issuer).claim("email", "root@example.org").build());
    refuses(ErrorCode.FORBIDDEN, "did not verify", () -> provider.verify(unverified));
    refuses(ErrorCode.FORBIDDEN, "the claim \"email\"", () -> provider.verify(token()));
  }
}
