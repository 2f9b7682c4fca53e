package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConnectionTest {
  @Test
  void textIsReadBack() {
    ClientConnection client = new ClientConnection("10.0.255.7", 65_535);
    assertThat(ClientConnection.parsed(client.toString())).contains(client);
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
    assertThat(ClientConnection.parsed(text)).isEmpty();
  }
}
