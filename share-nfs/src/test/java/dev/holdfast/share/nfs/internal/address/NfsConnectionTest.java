package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NfsConnectionTest {
  @Test
  void textIsReadBack() {
    NfsConnection client = new NfsConnection("10.0.255.7", 65_535);
    assertThat(NfsConnection.parsed(client.toString())).contains(client);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\0\0\0",
        "10.0.0.1",
        "10.0.0.1:0",
        "10.0.0.1:65536",
        "10.0.0.256:1",
        "10.0.0:1",
        "10.0.0.0.1:1",
        "host:1",
        "fd00::1:700",
        "10.0.0.1:1 x"
      })
  void otherTextIsIgnored(String text) {
    assertThat(NfsConnection.parsed(text)).isEmpty();
  }
}
