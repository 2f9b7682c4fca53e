package dev.holdfast.portal.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The portal's share of the direct memory. */
class DirectMemoryTest {
  private static final long MIB = 1L << 20;

  @Test
  void portalUsesHalfOfTheDirectMemory() {
    assertThat(DirectMemory.share(List.of("-XX:MaxDirectMemorySize=512m"), 128 * MIB))
        .isEqualTo(256 * MIB);
    assertThat(DirectMemory.share(List.of("-Xmx1g", "-ea"), 1024 * MIB)).isEqualTo(512 * MIB);
  }

  @Test
  void lastOptionCountsAsForTheJvm() {
    assertThat(
            DirectMemory.share(
                List.of("-XX:MaxDirectMemorySize=512m", "-XX:MaxDirectMemorySize=2G"), MIB))
        .isEqualTo(1024 * MIB);
  }

  @Test
  void limitsLeaveRoomForOthersInTheirShare() {
    PortalLimits limits = PortalLimits.standard();
    assertThat(limits.bufferBytes()).isEqualTo(DirectMemory.share());
    assertThat(8 * limits.replyBytes()).isLessThanOrEqualTo(limits.bufferBytes());
  }
}
