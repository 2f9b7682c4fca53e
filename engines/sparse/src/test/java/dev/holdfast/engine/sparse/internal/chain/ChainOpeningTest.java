package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Openings of many chains, and of layers with damaged, missing or foreign files. */
class ChainOpeningTest extends ChainFixture {
  @Test
  void volumeMetaIsMadeUpAgainFromTheFiles() throws Exception {
    write(1, 1);
    snapshot("a");
    write(2, 2);
    VolumeMeta before = LonghornLayout.volumeMeta(directory).orElseThrow();
    for (byte[] lost : new byte[][] {null, {}}) {
      chain.close();
      if (lost == null) {
        directory.remove(LonghornLayout.VOLUME_META);
      } else {
        directory.store(LonghornLayout.VOLUME_META, lost);
      }
      open();
      assertThat(LonghornLayout.volumeMeta(directory)).contains(before);
      assertThat(read(1)).isEqualTo(1);
      assertThat(read(2)).isEqualTo(2);
    }
  }

  @Test
  void anUnknownFormatIsRefusedAndLeftAlone() throws Exception {
    chain.close();
    byte[] foreign = "{\"format\":\"of another program\"}".getBytes(StandardCharsets.US_ASCII);
    directory.store(LonghornLayout.VOLUME_META, foreign);
    assertThatThrownBy(this::open)
        .hasMessageContaining("it was not changed")
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INVALID));
    assertThat(directory.load(LonghornLayout.VOLUME_META).orElseThrow()).isEqualTo(foreign);
  }

  @Test
  void aMissingLayerIsRefused() throws Exception {
    snapshot("a");
    snapshot("b");
    chain.close();
    directory.remove(LonghornLayout.imageOf("a"));
    assertThatThrownBy(this::open).hasMessageContaining("volume-snap-a.img");
    assertThat(directory.load(LonghornLayout.metaOf(LonghornLayout.imageOf("a")))).isPresent();
  }

  // Fails if each open chain keeps a copy buffer, because a node may have thousands of open chains.
  @Test
  void openChainsAtRestHoldLittleMemoryOutsideTheHeap() throws Exception {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    snapshot("a");
    long before = direct.getMemoryUsed();
    List<LocalChain> open = new ArrayList<>();
    VolumeMeta meta = LonghornLayout.volumeMeta(directory).orElseThrow();
    for (int i = 0; i < 32; i++) {
      open.add(LocalChain.open(directory, meta, false));
    }
    assertThat(direct.getMemoryUsed() - before).isLessThan(32 * (64L << 10));
    for (LocalChain one : open) {
      one.close();
    }
  }
}
