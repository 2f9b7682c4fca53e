package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinTokenTest {
  @TempDir Path directory;

  private String authority(String name) throws Exception {
    return Files.readString(
        TlsDirectory.prepare(directory.resolve(name), List.of("localhost"), Clock.systemUTC())
            .caCertificate());
  }

  @Test
  void textIsReadBack() throws Exception {
    JoinToken token = JoinToken.random(authority("a"), new SecureRandom());

    assertThat(JoinToken.parse(" " + token.text() + "\n")).isEqualTo(token);
    assertThat(token.toString()).doesNotContain(token.secret());
  }

  @Test
  void anotherAuthorityIsRefused() throws Exception {
    JoinToken token = JoinToken.random(authority("a"), new SecureRandom());

    assertThat(token.authorityAmong(authority("a"))).isEqualTo(authority("a"));
    assertThatThrownBy(() -> token.authorityAmong(authority("b")))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("fingerprint");
  }

  @Test
  void onlyTheAuthorityOfTheTokenIsTrusted() throws Exception {
    JoinToken token = JoinToken.random(authority("a"), new SecureRandom());
    String appended = authority("a") + authority("attacker");
    String replaced = authority("next") + authority("a");

    assertThat(token.authorityAmong(appended)).isEqualTo(authority("a"));
    assertThat(token.authorityAmong(replaced)).isEqualTo(authority("a"));
  }

  @Test
  void invalidTokenIsRefusedWithoutRepeatingIt() throws Exception {
    String real = JoinToken.random(authority("a"), new SecureRandom()).text();
    for (String text : List.of("", "hf1.x.y.z", real + "A", "hf2" + real.substring(3))) {
      assertThatThrownBy(() -> JoinToken.parse(text))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("holdfast node token")
          .hasMessageNotContaining(real);
    }
  }
}
