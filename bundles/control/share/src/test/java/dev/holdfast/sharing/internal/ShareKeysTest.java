package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareKey;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareSquash;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShareKeysTest {
  private static final ShareManagerSpec CLEAR = ShareManagerSpec.EMPTY.withVolume("v");
  private static final ShareRequest REQUEST =
      new ShareRequest(
          "v",
          "uid",
          1,
          URI.create("nbd://127.0.0.1/v"),
          1 << 20,
          ShareFilesystem.DEFAULT,
          Optional.empty(),
          ShareAddress.own("127.0.0.1"),
          2049,
          List.of(),
          ShareSquash.NONE,
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  @TempDir Path folder;
  private final Map<String, Map<String, byte[]>> known = new HashMap<>();
  private final SecretProviders secrets = new SecretProviders();
  private final ShareKeys keys = new ShareKeys(secrets);

  ShareKeysTest() {
    secrets.add(name -> Optional.ofNullable(known.get(name)), Map.of());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private ShareKey key(ShareManagerSpec spec) throws StorageException {
    return keys.complete(REQUEST, spec).key().orElseThrow();
  }

  private void assertInvalid(ShareManagerSpec spec, String message) {
    assertThatThrownBy(() -> key(spec))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(message)
        .hasMessageContaining("put the key there");
  }

  @Test
  void volumeInClearHasNoKey() throws Exception {
    assertThat(keys.complete(REQUEST, CLEAR)).isEqualTo(REQUEST);
  }

  @Test
  void keyComesFromAFile() throws Exception {
    Path file = folder.resolve("key");
    ShareManagerSpec spec = CLEAR.withKeyFile(file.toString());
    assertInvalid(spec, "spec.keyFile: " + file + " cannot be read on this node");
    Files.writeString(file, "\n");
    assertInvalid(spec, "spec.keyFile: " + file + " is empty");
    Files.writeString(file, "passphrase\n");
    assertThat(key(spec).value()).isEqualTo("passphrase");
    assertThat(key(spec).pbkdf()).isEqualTo("argon2id");
  }

  @Test
  void keyAndItsParametersComeFromASecret() throws Exception {
    ShareManagerSpec spec = CLEAR.withKeySecret("volume-key");
    assertThatThrownBy(() -> key(spec))
        .hasMessageContaining("spec.keySecret: secret volume-key does not exist")
        .hasMessageContaining("holdfast secret set volume-key");
    known.put("volume-key", Map.of("OTHER", bytes("x")));
    assertInvalid(spec, "spec.keySecret: volume-key[CRYPTO_KEY_VALUE]: is missing");
    known.put(
        "volume-key",
        Map.of(
            "CRYPTO_KEY_VALUE", bytes("passphrase"),
            "CRYPTO_KEY_VALUE_PREVIOUS", bytes("older"),
            "CRYPTO_PBKDF", bytes("pbkdf2"),
            "CRYPTO_KEY_SIZE", bytes("512")));
    assertThat(key(spec))
        .isEqualTo(
            new ShareKey(
                "passphrase", Optional.of("older"), "aes-xts-plain64", "sha256", 512, "pbkdf2"));
  }
}
