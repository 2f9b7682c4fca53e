package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Accepted and rejected endpoints of exports. */
class NfsExportTest {
  @ParameterizedTest
  @CsvSource({
    "nfs://10.0.0.5/demo, 10.0.0.5:/demo, nfs://10.0.0.5:2049/demo",
    "nfs://10.0.0.5:/demo, 10.0.0.5:/demo, nfs://10.0.0.5:2049/demo",
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
}
