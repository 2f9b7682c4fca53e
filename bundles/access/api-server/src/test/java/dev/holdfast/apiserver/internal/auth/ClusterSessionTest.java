package dev.holdfast.apiserver.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.UserCredential;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of sessions by a token of the cluster, and their text. */
class ClusterSessionTest {
  private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
  private static final UserCredential USER =
      new UserCredential("https://k", "kubernetes:a", List.of("kubernetes:g"));

  private static String token(String payload) {
    return "e30."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(payload.getBytes(StandardCharsets.UTF_8))
        + ".c2ln";
  }

  private static Instant end(String token) {
    return ClusterSession.of(USER, token, NOW).end();
  }

  @Test
  void sessionEndsWithTheTokenAndAfterAnHourAtTheLatest() {
    Instant soon = NOW.plus(Duration.ofMinutes(10));
    assertThat(end(token("{\"exp\":" + soon.getEpochSecond() + "}"))).isEqualTo(soon);
    Instant late = NOW.plus(Duration.ofDays(1));
    assertThat(end(token("{\"exp\":" + late.getEpochSecond() + "}")))
        .isEqualTo(NOW.plus(ClusterSession.LONGEST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"opaque", "a.b", "a.%.c", "a.e30.c", "a.bm90IGpzb24.c", ".."})
  void tokenWithoutAnEndGivesAnHour(String token) {
    assertThat(end(token)).isEqualTo(NOW.plus(ClusterSession.LONGEST));
  }

  @Test
  void textIsReadAgain() {
    ClusterSession session = new ClusterSession(USER, NOW);
    assertThat(ClusterSession.parse(session.text())).contains(session);
    assertThat(session.isOver(NOW.minusSeconds(1))).isFalse();
    assertThat(session.isOver(NOW)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "until.", "until.1", "until.x.user.YQ.YQ", "until.1.other.YQ.YQ"})
  void otherCredentialIsNotRead(String text) {
    assertThat(ClusterSession.parse(text)).isEmpty();
    assertThat(ClusterSession.parse(USER.text())).isEmpty();
  }
}
