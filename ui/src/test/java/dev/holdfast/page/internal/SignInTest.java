package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sign-in by one-time address and by token, sign-out, and the end of sessions. */
class SignInTest {
  @TempDir private Path data;
  private final ManualClock clock = new ManualClock();
  private Page page;

  @BeforeEach
  void start() throws Exception {
    page = new Page(data, clock);
  }

  @Test
  void codeSignsInOnce() throws Exception {
    String code = page.code("admin");

    FakeResponse first = page.signIn(code, Page.OWN);
    FakeResponse second = page.signIn(code, Page.OWN);

    assertThat(first.code).isEqualTo(201);
    assertThat(first.headers.get("Set-Cookie"))
        .startsWith("__Host-holdfast=")
        .contains("; Path=/;", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200")
        .doesNotContain("Domain");
    assertThat(page.admit("GET", first.secret(), Map.of())).contains(Page.CREDENTIAL);
    assertThat(second.code).isEqualTo(403);
    assertThat(second.headers).doesNotContainKey("Set-Cookie");
    assertThat(second.json().path("message").asText()).contains("'holdfast page' again");
  }

  @Test
  void codeIsRefusedAfterAMinute() throws Exception {
    String code = page.code("admin");

    clock.advance(Duration.ofSeconds(60));

    assertThat(page.signIn(code, Page.OWN).code).isEqualTo(403);
  }

  @Test
  void codesBeyondTheLimitEndTheOldestOne() throws Exception {
    String oldest = page.code("admin");
    for (int i = 0; i < 64; i++) {
      page.code("admin");
    }

    assertThat(page.signIn(oldest, Page.OWN).code).isEqualTo(403);
  }

  @Test
  void codeNeedsAToken() throws Exception {
    FakeResponse response =
        page.send("POST", "/page/v1/codes", Map.of("Authorization", "Bearer wrong"), "{}");

    assertThat(response.code).isEqualTo(403);
  }

  @Test
  void signedInBrowserGetsNoCode() throws Exception {
    Map<String, String> signedIn =
        Page.with(Page.OWN, "Cookie", "__Host-holdfast=" + page.secret("view"));

    assertThat(page.send("POST", "/page/v1/codes", signedIn, "{}").code).isEqualTo(403);
  }

  @Test
  void unknownRoleIsRefusedByName() throws Exception {
    FakeResponse response =
        page.send(
            "POST",
            "/page/v1/codes",
            Map.of("Authorization", "Bearer " + Page.TOKEN),
            "{\"role\":\"owner\"}");

    assertThat(response.code).isEqualTo(400);
    assertThat(response.json().path("message").asText())
        .isEqualTo("role: \"owner\": expected admin or view");
  }

  @Test
  void tokenSignsIn() throws Exception {
    FakeResponse response =
        page.send("POST", "/page/v1/session", Page.OWN, "{\"token\":\"" + Page.TOKEN + "\"}");

    assertThat(page.admit("GET", response.secret(), Map.of())).contains(Page.CREDENTIAL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "not json",
        "{\"token\":\"\"}",
        "{\"token\":\"wrong\"}",
        "{\"code\":\"\"}",
        "{\"code\":{}}",
        "{\"code\":\"wrong\",\"token\":\"the-token\"}"
      })
  void otherBodyDoesNotSignIn(String body) throws Exception {
    FakeResponse response = page.send("POST", "/page/v1/session", Page.OWN, body);

    assertThat(response.code).isEqualTo(403);
    assertThat(response.headers).doesNotContainKey("Set-Cookie");
  }

  @Test
  void bodyBeyondTheLimitDoesNotSignIn() throws Exception {
    String body = "{\"token\":\"" + Page.TOKEN + "\"" + " ".repeat(5000) + "}";

    assertThat(page.send("POST", "/page/v1/session", Page.OWN, body).code).isEqualTo(403);
  }

  @Test
  void signInReplacesTheSecretThatTheBrowserHad() throws Exception {
    String planted = page.secret("admin");

    FakeResponse response =
        page.signIn(
            page.code("admin"), Page.with(Page.OWN, "Cookie", "__Host-holdfast=" + planted));

    assertThat(response.secret()).isNotEqualTo(planted);
    assertThat(page.admit("GET", planted, Map.of())).isEmpty();
  }

  @Test
  void signOutEndsTheSession() throws Exception {
    String secret = page.secret("admin");
    Map<String, String> signedIn = Page.with(Page.OWN, "Cookie", "__Host-holdfast=" + secret);

    FakeResponse response = page.send("DELETE", "/page/v1/session", signedIn, "");

    assertThat(response.headers.get("Set-Cookie")).contains("Max-Age=0");
    assertThat(page.admit("GET", secret, Map.of())).isEmpty();
    assertThat(page.send("GET", "/page/v1/session", signedIn, "").code).isEqualTo(401);
  }

  @Test
  void unusedSessionEndsAfterAnHour() throws Exception {
    String secret = page.secret("admin");
    clock.advance(Duration.ofMinutes(59));
    assertThat(page.admit("GET", secret, Map.of())).isPresent();
    clock.advance(Duration.ofMinutes(60));

    assertThat(page.admit("GET", secret, Map.of())).isEmpty();
  }

  @Test
  void usedSessionEndsAfterTwelveHours() throws Exception {
    String secret = page.secret("admin");
    for (int i = 0; i < 23; i++) {
      clock.advance(Duration.ofMinutes(30));
      assertThat(page.admit("GET", secret, Map.of())).isPresent();
    }
    clock.advance(Duration.ofMinutes(30));

    assertThat(page.admit("GET", secret, Map.of())).isEmpty();
  }

  @Test
  void restartKeepsSessionsAndStoresHashesOnly() throws Exception {
    String secret = page.secret("admin");
    Path file = data.resolve("page/sessions.json");

    Page restarted = new Page(data, clock);

    assertThat(restarted.admit("GET", secret, Map.of())).contains(Page.CREDENTIAL);
    assertThat(Files.readString(file)).doesNotContain(secret);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void damagedFileEndsSessions() throws Exception {
    String secret = page.secret("admin");
    Files.writeString(data.resolve("page/sessions.json"), "{\"x\":{\"since\":\"never\"}}");

    assertThat(new Page(data, clock).admit("GET", secret, Map.of())).isEmpty();
  }
}
