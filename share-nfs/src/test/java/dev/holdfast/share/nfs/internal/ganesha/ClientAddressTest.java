package dev.holdfast.share.nfs.internal.ganesha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {
  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, 10.1.2.3",
    "10.1.2.3/32, 10.1.2.3",
    "10.1.0.0/16, 10.1.0.0/16",
    "0.0.0.0/0, 0.0.0.0/0",
    "fd00::/8, fd00:0:0:0:0:0:0:0/8",
    "::1, 0:0:0:0:0:0:0:1"
  })
  void numericAddressesAndNetworksAreAccepted(String text, String written) throws StorageException {
    assertThat(ClientAddress.parse(text)).hasToString(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "host",
        "@group",
        "10.1.2",
        "10.1.2.300",
        "10.1.2.3/33",
        "10.1.2.3/",
        "10.1.2.3/x",
        "10.1.2.3/8",
        "fd00::1/8",
        "10.1.2.3; Access_Type = RW",
        "10.1.2.3, 10.1.2.4",
        "1.1.1.1\n",
        ":",
        "::1/129",
        "10.1.0.0/16/8",
        "fe80::1%eth0"
      })
  void everythingElseIsRefusedNamingTheText(String text) {
    assertThatThrownBy(() -> ClientAddress.parse(text))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("allowed client \"" + text.replace('\n', '?') + "\"");
  }
}
