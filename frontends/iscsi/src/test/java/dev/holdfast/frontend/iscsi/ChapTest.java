package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.frontend.iscsi.internal.login.Credentials;
import dev.holdfast.frontend.iscsi.internal.login.Login;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import dev.holdfast.frontend.iscsi.internal.login.Targets;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both sides prove that they know the secret, with each algorithm, and across a replacement. */
final class ChapTest {
  private static final String SECRET = "wonderland1234";
  private static final String OWN = "looking-glass1";

  private final ListedInitiators initiators =
      new ListedInitiators(
          new Credentials("alice", SECRET, Optional.of(new Credentials.Own("target", OWN))));

  @ParameterizedTest
  @CsvSource({"'7,5',7,SHA-256", "'5,7',7,SHA-256", "'6,5',5,MD5"})
  void bothSidesAreAuthenticated(String offered, String chosen, String digest) throws Exception {
    Login login = begin();
    Map<String, String> challenge = login.step(security(false), Map.of("CHAP_A", offered));
    assertThat(challenge).containsEntry("CHAP_A", chosen);
    Login next = new Login(initiators, target -> true, login.fields());
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("CHAP_N", "alice");
    keys.put("CHAP_R", response(digest, challenge.get("CHAP_I"), SECRET, challenge.get("CHAP_C")));
    keys.put("CHAP_I", "200");
    keys.put("CHAP_C", "0x0102030405060708090a0b0c0d0e0f10");
    Map<String, String> answer = next.step(security(true), keys);
    assertThat(answer)
        .containsEntry("CHAP_N", "target")
        .containsEntry("CHAP_R", response(digest, "200", OWN, keys.get("CHAP_C")));
    assertThat(next.transits(security(true))).isTrue();
    assertThat(initiators.authenticated).hasSize(1);
    assertThat(initiators.refused).isEmpty();
  }

  @Test
  void loginWithoutAnAnswerFails() throws Exception {
    Login login = begin();
    assertThat(login.transits(security(true))).isFalse();
    assertThatThrownBy(() -> login.step(security(true), Map.of("CHAP_N", "alice", "CHAP_R", "0x")))
        .isInstanceOf(LoginException.class);
    assertThat(initiators.authenticated).isEmpty();
    assertThat(initiators.refused).hasSize(1);
  }

  @Test
  void targetIsShownToAnInitiatorOnlyAfterAuthentication() throws Exception {
    Login login = begin(target -> false);
    Map<String, String> challenge = login.step(security(false), Map.of("CHAP_A", "7"));
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("CHAP_N", "alice");
    keys.put(
        "CHAP_R", response("SHA-256", challenge.get("CHAP_I"), SECRET, challenge.get("CHAP_C")));
    assertThatThrownBy(() -> login.step(security(true), keys))
        .isInstanceOfSatisfying(
            LoginException.class,
            refused -> assertThat(refused.status()).isEqualTo(LoginException.NOT_FOUND));
    assertThat(initiators.refused).hasSize(1);
  }

  @Test
  void ownChallengeIsNotAnswered() throws Exception {
    Login login = begin();
    Map<String, String> challenge = login.step(security(false), Map.of("CHAP_A", "7"));
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("CHAP_N", "alice");
    keys.put(
        "CHAP_R", response("SHA-256", challenge.get("CHAP_I"), SECRET, challenge.get("CHAP_C")));
    keys.put("CHAP_I", challenge.get("CHAP_I"));
    keys.put("CHAP_C", challenge.get("CHAP_C"));
    assertThatThrownBy(() -> login.step(security(true), keys)).isInstanceOf(LoginException.class);
  }

  private Login begin() throws LoginException {
    return begin(target -> true);
  }

  private Login begin(Targets targets) throws LoginException {
    Login login = new Login(initiators, targets, Map.of());
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("InitiatorName", "iqn.2026-01.test:chap");
    keys.put("TargetName", "iqn.2026-01.dev.holdfast:vol-1");
    keys.put("AuthMethod", "CHAP,None");
    assertThat(login.step(security(false), keys)).containsEntry("AuthMethod", "CHAP");
    return login;
  }

  private static LoginRequest security(boolean transit) {
    return new LoginRequest(transit, false, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0);
  }

  private static String response(
      String algorithm, String identifier, String secret, String challenge) throws Exception {
    MessageDigest digest = MessageDigest.getInstance(algorithm);
    digest.update((byte) Integer.parseInt(identifier));
    digest.update(secret.getBytes(StandardCharsets.UTF_8));
    return "0x"
        + HexFormat.of().formatHex(digest.digest(HexFormat.of().parseHex(challenge.substring(2))));
  }
}
