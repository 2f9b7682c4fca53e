package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A browser signs in at an identity provider and comes back. */
class ProviderSignInTest {
  private static final UserCredential ALICE =
      new UserCredential("https://login.example", "oidc:alice", List.of("oidc:storage"));
  private static final String CALLBACK = "/page/v1/oidc/callback";

  @TempDir private Path data;
  private final ManualClock clock = new ManualClock();
  private Page page;
  private Users users;

  @BeforeEach
  void start() throws Exception {
    page = new Page(data, clock);
    users = new Users();
    page.provider = Optional.of(users);
  }

  /** A provider that admits the code "good". */
  private static final class Users implements IdentityProvider {
    boolean configured = true;
    SignInRequest begun = new SignInRequest(URI.create("none:none"), "", "", "");

    @Override
    public boolean isConfigured() {
      return configured;
    }

    @Override
    public Optional<UserCredential> known(String token) {
      return Optional.empty();
    }

    @Override
    public UserCredential verify(String token) throws StorageException {
      throw new StorageException(ErrorCode.FORBIDDEN, "not asked here");
    }

    @Override
    public boolean accepts(UserCredential user) {
      return configured;
    }

    @Override
    public URI begin(SignInRequest request) {
      begun = request;
      return URI.create("https://login.example/auth?state=" + request.state());
    }

    @Override
    public UserCredential finish(SignInRequest request, String code) throws StorageException {
      assertThat(request).isEqualTo(begun);
      if (!code.equals("good")) {
        throw new StorageException(ErrorCode.FORBIDDEN, "the token expired <b>");
      }
      return ALICE;
    }
  }

  private FakeResponse begin(Map<String, String> headers, String address) throws Exception {
    return page.send("POST", "/page/v1/oidc/begin", headers, "{\"address\":\"" + address + "\"}");
  }

  private FakeResponse begin() throws Exception {
    return begin(Page.OWN, "https://node:7443/prefix/page/");
  }

  private FakeResponse comeBack(String browser, String query) throws Exception {
    Map<String, String> headers = Map.of("Cookie", ProviderSignIn.COOKIE + "=" + browser);
    return page.send("GET", CALLBACK + "?" + query, headers, "");
  }

  private FakeResponse comeBack(String browser) throws Exception {
    return comeBack(browser, "code=good&state=" + users.begun.state());
  }

  private static String text(FakeResponse response) {
    return new String(response.bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void browserSignsInAndHasTheRightsOfItsUser() throws Exception {
    FakeResponse begun = begin();
    assertThat(begun.json().path("location").asText()).startsWith("https://login.example/auth?");
    assertThat(users.begun.callback())
        .hasToString("https://node:7443/prefix/page/v1/oidc/callback");
    assertThat(begun.headers.get("Set-Cookie"))
        .startsWith(ProviderSignIn.COOKIE + "=")
        .contains("; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/");

    FakeResponse back = comeBack(begun.secret());

    assertThat(back.code).isEqualTo(200);
    assertThat(back.headers.get("Set-Cookie"))
        .startsWith("__Host-holdfast=")
        .contains("; SameSite=Strict");
    assertThat(text(back)).contains("url=../../");
    String credential = page.admit("GET", back.secret(), Map.of()).orElseThrow();
    assertThat(UserCredential.parse(credential)).contains(ALICE);
  }

  @Test
  void signInHasAnAuditLineWithoutTheCode() throws Exception {
    FakeResponse unused = comeBack(begin().secret());

    assertThat(page.audited).hasSize(1);
    AuditEvent event = page.audited.get(0);
    assertThat(event.subject().user()).isEqualTo("oidc:alice");
    assertThat(event.subject().groups()).containsExactly("oidc:storage");
    assertThat(event.subject().source()).isEqualTo("192.0.2.7");
    assertThat(event.object().uri()).isEqualTo(CALLBACK);
    assertThat(event.annotations()).containsEntry(AuditEvent.DECISION, "allow");
  }

  private void refuses(FakeResponse response, String reason) throws Exception {
    assertThat(response.code).isEqualTo(403);
    assertThat(response.headers).doesNotContainKey("Set-Cookie");
    assertThat(text(response)).contains(reason);
    assertThat(page.audited).hasSize(1);
    assertThat(page.audited.get(0).message()).contains(reason);
    assertThat(page.audited.get(0).annotations()).containsEntry(AuditEvent.DECISION, "forbid");
  }

  @Test
  void browserThatDidNotBeginTheSignInIsRefused() throws Exception {
    FakeResponse unused = begin();

    refuses(comeBack("another"), "did not begin in this browser");
  }

  @Test
  void stateIsUsedOnce() throws Exception {
    String browser = begin().secret();
    assertThat(comeBack(browser).code).isEqualTo(200);
    page.audited.clear();

    refuses(comeBack(browser), "was used");
  }

  @Test
  void lateSignInIsRefused() throws Exception {
    String browser = begin().secret();
    clock.advance(PendingSignIns.VALID);

    refuses(comeBack(browser), "older than 10 minutes");
  }

  @Test
  void unknownStateIsRefused() throws Exception {
    refuses(comeBack(begin().secret(), "code=good&state=other"), "did not begin");
  }

  @Test
  void refusalOfTheProviderIsToldAsText() throws Exception {
    String browser = begin().secret();

    refuses(
        comeBack(browser, "error=access_denied&state=" + users.begun.state()),
        "the identity provider refused the sign-in: access_denied");
  }

  @Test
  void reasonOfARefusedTokenIsToldWithoutMarkup() throws Exception {
    String browser = begin().secret();
    FakeResponse back = comeBack(browser, "code=bad&state=" + users.begun.state());

    assertThat(back.code).isEqualTo(403);
    assertThat(text(back)).contains("the token expired &lt;b&gt;").doesNotContain("<b>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "https://node:7443/",
        "https://other/page/",
        "https://node:7443.other/page/",
        "https://node:7443/page/?a=b",
        "https://node:7443/page/#a",
        "not an address /page/"
      })
  void addressOutsideOfThePageIsRefused(String address) throws Exception {
    assertThat(begin(Page.OWN, address).code).isEqualTo(400);
  }

  @Test
  void anotherSiteCannotBeginASignIn() throws Exception {
    Map<String, String> headers = Page.with(Page.OWN, "Origin", "https://other");

    assertThat(begin(headers, "https://node:7443/page/").code).isEqualTo(403);
    assertThat(page.audited).hasSize(1);
  }

  @Test
  void pageLearnsWhetherThereIsAProvider() throws Exception {
    assertThat(
            page.send("GET", "/page/v1/oidc", Map.of(), "").json().path("configured").asBoolean())
        .isTrue();
    users.configured = false;
    assertThat(
            page.send("GET", "/page/v1/oidc", Map.of(), "").json().path("configured").asBoolean())
        .isFalse();
  }
}
