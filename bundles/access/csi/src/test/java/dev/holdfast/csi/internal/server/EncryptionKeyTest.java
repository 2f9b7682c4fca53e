package dev.holdfast.csi.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.host.LuksKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EncryptionKeyTest {
  @Test
  void onlyTheKeyMustBeThere() throws Exception {
    assertThat(EncryptionKey.of(Map.of("CRYPTO_KEY_VALUE", "s3cret")))
        .contains(
            new LuksKey("s3cret", Optional.empty(), "aes-xts-plain64", "sha256", 256, "argon2id"));
    assertThat(EncryptionKey.of(Map.of())).isEmpty();
  }

  @Test
  void acceptsTheKeyNamesOfLonghorn() throws Exception {
    LuksKey key =
        EncryptionKey.of(
                Map.of(
                    "CRYPTO_KEY_VALUE", "new",
                    "CRYPTO_KEY_VALUE_PREVIOUS", "old",
                    "CRYPTO_KEY_PROVIDER", "secret",
                    "CRYPTO_KEY_CIPHER", "serpent-xts-plain64",
                    "CRYPTO_KEY_HASH", "sha512",
                    "CRYPTO_KEY_SIZE", "512",
                    "CRYPTO_PBKDF", "pbkdf2"))
            .orElseThrow();
    assertThat(key)
        .isEqualTo(
            new LuksKey("new", Optional.of("old"), "serpent-xts-plain64", "sha512", 512, "pbkdf2"));
    assertThat(key.toString()).doesNotContain("new").doesNotContain("old");
  }

  @Test
  void errorNamesTheWrongKeyWithoutItsValue() {
    refused("CRYPTO_KEY_VALUE", "", "is empty");
    refused("CRYPTO_KEY_PROVIDER", "vault", "known is secret");
    refused("CRYPTO_KEY_SIZE", "many", "number of bits");
    refused("CRYPTO_KEY_CIPHER", "--key-file=/etc/passwd", "aes-xts-plain64");
    refused("CRYPTO_KEY_HASH", "a b", "sha256");
    refused("CRYPTO_PBKDF", "none", "argon2id, argon2i or pbkdf2");
  }

  private static void refused(String name, String value, String message) {
    Map<String, String> secrets = new HashMap<>(Map.of("CRYPTO_KEY_VALUE", "s3cret"));
    secrets.put(name, value);
    assertThatThrownBy(() -> EncryptionKey.of(secrets))
        .hasMessageContaining("INVALID_ARGUMENT: secrets[" + name + "]: ")
        .hasMessageContaining(message)
        .hasMessageNotContaining("s3cret");
  }
}
