package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes between the two steps of the removal of a layer: the layer is removed from the order, but
 * the index still assigns blocks to it.
 */
class LayerWriterTest {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;
  private static final long SIZE = 4L * BLOCK;
  private static final List<String> NAMES = List.of("removed", "child", "head");

  @TempDir private Path disk;
  private LayerView before;

  @BeforeEach
  void open() throws Exception {
    ReplicaDirectory directory = new LocalReplicaDirectory(disk);
    for (String name : NAMES) {
      directory.create(name, SIZE).close();
    }
    List<ReplicaFile> files = new LayerFiles(directory, Optional.empty()).open(NAMES);
    // Block 0 is in the removed layer only. Block 1 is in both, because it was already copied.
    put(files.get(0), 0);
    put(files.get(0), 1);
    put(files.get(1), 1);
    before = Layers.view(NAMES, files, SIZE).withLoose(List.of("removed", "child"));
  }

  @AfterEach
  void close() throws Exception {
    before.close();
  }

  private static void put(ReplicaFile file, int block) throws Exception {
    byte[] content = new byte[BLOCK];
    content[0] = 1;
    file.write(ByteBuffer.wrap(content), (long) block * BLOCK);
  }

  @Test
  void trimOfACoalescedBlockReadsAsZeroesAndFreesItsSpace() throws Exception {
    int child = before.slot("child");
    ReplicaFile file = before.file(before.slot("removed"));
    LayerView between = before.folded(before.slot("removed"), child, file);

    writer(between).zero(0, 2L * BLOCK, false);

    assertThat(file.nextData(0)).isNegative();
    assertThat(between.layer(0)).isEqualTo(child);
    assertThat(between.layer(1)).isEqualTo(child);
  }

  @Test
  void zeroesThatStayAllocatedGoToTheHead() throws Exception {
    int removed = before.slot("removed");
    LayerView between = before.folded(removed, before.slot("child"), before.file(removed));

    writer(between).zero(0, BLOCK, true);

    assertThat(between.layer(0)).isEqualTo(between.headSlot());
  }

  @Test
  void blocksOfALayerThatWasDroppedAreNowhere() throws Exception {
    LayerView between = before.unordered(before.slot("child"));
    between.index().set(3, 4, before.slot("child"));

    writer(between).zero(3L * BLOCK, BLOCK, false);

    assertThat(between.layer(3)).isEqualTo(BlockIndex.NOWHERE);
    assertThat(between.head().nextData(0)).isNegative();
  }

  private static LayerWriter writer(LayerView view) {
    return new LayerWriter(view, false, slot -> {});
  }
}
