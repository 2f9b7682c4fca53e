package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** iSCSI has no TLS: a volume with required TLS is never served unencrypted. */
final class IscsiTlsTest {
  @ParameterizedTest
  @ValueSource(strings = {"offer", "require"})
  void noVolumeIsShownWhereTlsIsAskedFor(String mode) throws Exception {
    Map<String, String> asked = Map.of("holdfast.iscsi.tls", mode);
    try (IscsiServer server = IscsiServer.start(Optional.empty(), asked)) {
      assertThatThrownBy(() -> server.publish("films", new MemoryBlockDevice(1 << 20)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("holdfast.iscsi.tls");
    }
  }
}
