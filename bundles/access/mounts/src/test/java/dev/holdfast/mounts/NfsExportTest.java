package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Accepted and refused endpoints of shares, and options of their mounts. */
class NfsExportTest {
  @ParameterizedTest
  @CsvSource({
    "nfs://10.0.0.5/demo, 10.0.0.5:/demo, nfs://10.0.0.5:2049/demo",
    "nfs://10.0.0.5:2050/demo, 10.0.0.5:/demo, nfs://10.0.0.5:2050/demo",
    "nfs://[fd00::5]:2050/demo, [fd00::5]:/demo, nfs://[fd00::5]:2050/demo",
    "nfs://share.example/demo, share.example:/demo, nfs://share.example:2049/demo"
  })
  void endpointNamesServerPortAndPath(String endpoint, String source, String whole)
      throws StorageException {
    NfsExport export = NfsExport.of(endpoint);
    assertThat(export.source()).isEqualTo(source);
    assertThat(export).hasToString(whole);
    assertThat(NfsExport.of(whole)).isEqualTo(export);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nbd://10.0.0.5/demo", "nfs://10.0.0.5", "nfs:///demo", "nfs://a b/"})
  void otherEndpointsAreRefused(String endpoint) {
    assertThatThrownBy(() -> NfsExport.of(endpoint))
        .isInstanceOf(StorageException.class)
        .hasMessage("endpoint \"" + endpoint + "\": expected nfs://HOST[:PORT]/NAME");
  }

  @Test
  void mountsWithoutOptionsAreHard() {
    assertThat(NfsOptions.parse(" "))
        .containsExactly("vers=4.1", "noresvport", "hard", "timeo=600", "retrans=5");
  }

  @Test
  void givenOptionsReplaceAll() {
    assertThat(NfsOptions.parse("vers=4.2, softerr")).isEqualTo(List.of("vers=4.2", "softerr"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vers=3|vers must be 4, 4.0, 4.1 or 4.2",
        "nfsvers=3|nfsvers must be",
        "hard,port=1|port cannot be set",
        "bg|bg cannot be set",
        "proto=udp|shares speak TCP only",
        "udp|shares speak TCP only",
        "hard,,intr|must be options of nfs(5)",
        "hard;reboot|must be options of nfs(5)",
        "-t ext4|must be options of nfs(5)"
      })
  void optionsThatAMountCannotHaveAreRefused(String options, String reason) {
    assertThatThrownBy(() -> NfsOptions.parse(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
