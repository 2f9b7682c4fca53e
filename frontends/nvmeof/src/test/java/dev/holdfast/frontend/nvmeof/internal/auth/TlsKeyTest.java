package dev.holdfast.frontend.nvmeof.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PresharedKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys for TLS with the examples of libnvme's own tests (test/psk.c). */
final class TlsKeyTest {
  private static final String NAMES = "nqn.psk-test-host nqn.psk-test-subsys";
  private static final String BYTES_32 =
      "5512dbb6737d0106f65975b773dfb011ffc344bcf442e2dd6d8bc4870b5d5b03";
  private static final String KEY_32 =
      "NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:";
  private static final String KEY_48 =
      "NVMeTLSkey-1:02:"
          + "VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwP/w0S89ELi3W2LxIcLXVsDn8kXZQ==:";
  private static final String IDENTITY_32 =
      "NVMe1R01 " + NAMES + " iSbjiStwJ/1TrTvDlt2fjFmzvsytOJelidNnA+X5lEU=";
  private static final String IDENTITY_48 =
      "NVMe1R02 " + NAMES + " QhW2+Rp6RzHlNtCslyRxMnwJ11tKKhz8JCAQpQ+XUD8f9td1VeH5h53yz2wKJG1a";

  @TempDir Path folder;

  private Optional<PresharedKey> key(String line, String identity) throws Exception {
    Path file = Files.writeString(folder.resolve("keys"), line + "\n");
    return new HostKeys(Optional.of(file)).of(identity);
  }

  @Test
  void publishedIdentitiesFindTheirKeys() throws Exception {
    assertThat(key("nqn.psk-test-host " + KEY_32, IDENTITY_32).orElseThrow().hash())
        .isEqualTo(PresharedKey.Hash.SHA_256);
    assertThat(key("* " + KEY_48, IDENTITY_48).orElseThrow().hash())
        .isEqualTo(PresharedKey.Hash.SHA_384);
  }

  @Test
  void digestOfAnotherKeyFindsNone() throws Exception {
    String other = IDENTITY_32.replace("iSbji", "iSbjj");
    assertThat(key("* " + KEY_32, other)).isEmpty();
    assertThat(key("* " + KEY_48, IDENTITY_32)).isEmpty();
  }

  @Test
  void untransformedKeyIsTheRetainedOne() {
    byte[] bytes = HexFormat.of().parseHex(BYTES_32);
    ConfiguredPsk psk = ConfiguredPsk.of(KEY_32.replace("-1:01:", "-1:00:"));
    assertThat(psk.retained("nqn.psk-test-host")).isEqualTo(bytes);
    assertThat(ConfiguredPsk.of(KEY_32).retained("nqn.psk-test-host")).isNotEqualTo(bytes);
  }

  /** The expected bytes are those of {@code openssl kdf -kdfopt mode:EXTRACT_AND_EXPAND HKDF}. */
  @Test
  void keysAreThoseThatOpensslDerives() throws Exception {
    assertThat(key("* " + KEY_32, IDENTITY_32).orElseThrow().secret())
        .isEqualTo(
            HexFormat.of()
                .parseHex("8fc3c0badfd4c0c66fa3ca33aadd0314f85536cc9bc47338b60f3e6e563786ca"));
    assertThat(key("* " + KEY_32, "NVMe0R01 " + NAMES).orElseThrow().secret())
        .isEqualTo(
            HexFormat.of()
                .parseHex("05c6503551ad136e6ee32e6eeb3f6d500b69701d84ec71e328f65c7f51566f68"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "NVMe0R01",
        "NVMe0R01 nqn.psk-test-host",
        "NVMe0R03 nqn.psk-test-host nqn.psk-test-subsys",
        "NVMe0G01 nqn.psk-test-host nqn.psk-test-subsys",
        "NVMe0R01 nqn.psk-test-host nqn.psk-test-subsys more",
        "NVMe1R01 nqn.psk-test-host nqn.psk-test-subsys",
        "NVMe2R01 nqn.psk-test-host nqn.psk-test-subsys x"
      })
  void invalidIdentityHasNoKey(String identity) throws Exception {
    assertThat(key("* " + KEY_32, identity)).isEmpty();
  }

  @Test
  void namesThatAreTooLongHaveNoKey() throws Exception {
    String name = "n".repeat(224);
    assertThat(key("* " + KEY_32, "NVMe0R01 " + name + " nqn.short")).isEmpty();
    assertThat(key("* " + KEY_32, "NVMe0R01 " + "n".repeat(123) + " " + "m".repeat(123))).isEmpty();
    assertThat(key("* " + KEY_32, "NVMe0R01 " + "n".repeat(122) + " " + "m".repeat(123)))
        .isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "* NVMeTLSkey-2:01:VRLb: | is not of the form NVMeTLSkey-1",
        "* NVMeTLSkey-1:03:VRLbtnN9AQb2WXW3: | is not of the form NVMeTLSkey-1",
        "* NVMeTLSkey-1:01:AAAA: | has no checksum",
        "* NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrA: | checksum is wrong",
        "* NVMeTLSkey-1:02:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ: | 32 bytes, not 48",
        "* NVMeTLSkey-1:00:AAAAAAAAAABp3yJl: | bytes, not 32 or 48",
        "* | a line has one TLS key"
      })
  void badKeyIsRefusedByFileAndHost(String line, String why) {
    assertThatThrownBy(() -> key(line, "NVMe0R01 " + NAMES))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("keys, *: ")
        .hasMessageContaining(why);
  }

  @Test
  void hostWithoutALineHasNoKey() throws Exception {
    assertThat(key("nqn.other " + KEY_32, IDENTITY_32)).isEmpty();
    assertThat(new HostKeys(Optional.empty()).of(IDENTITY_32)).isEmpty();
  }
}
