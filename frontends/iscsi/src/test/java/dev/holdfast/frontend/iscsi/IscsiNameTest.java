package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** Export names become target names, up to the maximum length. */
final class IscsiNameTest {
  private static final int LONGEST = 223 - "iqn.2026-01.dev.holdfast:".length();

  @Test
  void endpointNamesTargetAndUnit() {
    assertThat(new IscsiFrontend().endpoint("::1", 3260, "films"))
        .isEqualTo(URI.create("iscsi://[::1]:3260/iqn.2026-01.dev.holdfast:films/0"));
  }

  @Test
  void longestNameWorks() throws Exception {
    try (IscsiServer server = IscsiServer.start()) {
      URI endpoint = server.publish("x".repeat(LONGEST), new MemoryBlockDevice(1 << 20));
      String pages = Peer.run("iscsi-inq", "-e", "1", "-c", "131", endpoint.toString());
      assertThat(pages).contains("x".repeat(LONGEST));
    }
  }

  @Test
  void longerNameIsRefused() throws Exception {
    try (IscsiServer server = IscsiServer.start()) {
      assertThatThrownBy(
              () -> server.publish("x".repeat(LONGEST + 1), new MemoryBlockDevice(1 << 20)))
          .hasMessageContaining("no iSCSI name");
    }
  }
}
