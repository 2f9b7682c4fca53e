package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that other sites cause in the browser of a signed-in user, and changed cookies. */
class ForeignRequestsTest {
  @TempDir private Path data;
  private Page page;
  private String secret;

  @BeforeEach
  void start() throws Exception {
    page = new Page(data, new ManualClock());
    secret = page.secret("admin");
  }

  private static void forbids(ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            StorageException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
  void writeOfThePageIsAdmitted(String method) throws Exception {
    assertThat(page.admit(method, secret, Page.OWN)).contains(Page.CREDENTIAL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example",
        "http://node:7443",
        "https://node",
        "https://node:7444",
        "https://node:7443.evil.example",
        "https://evil.example/?https://node:7443",
        "null",
        ""
      })
  void writeWithAnotherOriginIsForbidden(String origin) {
    forbids(() -> page.admit("POST", secret, Page.with(Page.OWN, "Origin", origin)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Origin", "X-Holdfast-Page", "Host"})
  void writeWithoutAHeaderIsForbidden(String header) {
    forbids(() -> page.admit("DELETE", secret, Page.without(Page.OWN, header)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Origin", "X-Holdfast-Page", "Host"})
  void signInWithoutAHeaderIsForbidden(String header) throws Exception {
    FakeResponse response = page.signIn(page.code("admin"), Page.without(Page.OWN, header));

    assertThat(response.code).isEqualTo(403);
    assertThat(response.headers).doesNotContainKey("Set-Cookie");
  }

  @Test
  void signOutOfAnotherSiteIsForbidden() throws Exception {
    Map<String, String> headers =
        Map.of(
            "Host", "node:7443",
            "Origin", "https://evil.example",
            "X-Holdfast-Page", "1",
            "Cookie", "__Host-holdfast=" + secret);

    assertThat(page.send("DELETE", "/page/v1/session", headers, "").code).isEqualTo(403);
    assertThat(page.admit("GET", secret, Map.of())).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
  void viewSessionChangesNothing(String method) throws Exception {
    String view = page.secret("view");

    assertThat(page.admit("GET", view, Map.of())).contains(Page.CREDENTIAL);
    forbids(() -> page.admit(method, view, Page.OWN));
  }

  @Test
  void viewSessionMayAskByPostFromThePageOnly() throws Exception {
    String view = page.secret("view");

    assertThat(page.admitQuestion(view, Page.OWN)).contains(Page.CREDENTIAL);
    forbids(() -> page.admitQuestion(view, Page.without(Page.OWN, "Origin")));
    forbids(() -> page.admitQuestion(view, Page.without(Page.OWN, "X-Holdfast-Page")));
  }

  @Test
  void changedSecretIsNotAdmitted() throws Exception {
    char last = secret.charAt(secret.length() - 2);
    String changed =
        secret.substring(0, secret.length() - 2)
            + (last == 'A' ? 'B' : 'A')
            + secret.substring(secret.length() - 1);

    assertThat(page.admit("GET", changed, Map.of())).isEmpty();
    assertThat(page.admit("GET", "", Map.of())).isEmpty();
    assertThat(page.admit("GET", secret + "; x", Map.of())).isPresent();
  }
}
