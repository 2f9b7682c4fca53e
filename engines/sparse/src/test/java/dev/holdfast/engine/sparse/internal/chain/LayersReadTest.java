package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads during a coalescing that moves blocks from a layer to the head. */
class LayersReadTest {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;
  private static final List<String> NAMES = List.of("removed", "head");
  private static final byte OLD = 1;
  private static final byte NEW = 2;
  private static final int READS = 200_000;

  @TempDir private Path disk;

  @Test
  void aBlockThatMovesTakesNoOtherOneWithIt() throws Exception {
    ReplicaDirectory directory = new LocalReplicaDirectory(disk);
    for (String name : NAMES) {
      directory.create(name, 2L * BLOCK).close();
    }
    List<ReplicaFile> files = new LayerFiles(directory, Optional.empty()).open(NAMES);
    fill(files.get(0), 0, 2, OLD);
    fill(files.get(1), 1, 1, NEW);
    LayerView view = Layers.view(NAMES, files, 2L * BLOCK);
    // The first block is in the layer below and is repeatedly moved to the head. The other block
    // was always in the head.
    fill(files.get(1), 0, 1, OLD);
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService coalescing = Executors.newSingleThreadExecutor();
    try (Layers layers = new Layers(view)) {
      Future<?> moves =
          coalescing.submit(
              () -> {
                for (int i = 0; !over.get(); i++) {
                  view.index().set(0, 1, i % 2 == 0 ? view.headSlot() : view.baseSlot());
                }
              });
      try {
        readsWhatIsThere(layers);
      } finally {
        over.set(true);
        moves.get();
      }
    } finally {
      coalescing.shutdown();
    }
  }

  private static void readsWhatIsThere(Layers layers) throws Exception {
    byte[] expected = new byte[2 * BLOCK];
    Arrays.fill(expected, 0, BLOCK, OLD);
    Arrays.fill(expected, BLOCK, 2 * BLOCK, NEW);
    ByteBuffer content = ByteBuffer.allocate(2 * BLOCK);
    for (int i = 0; i < READS; i++) {
      layers.read(0, content.clear());
      assertThat(Arrays.mismatch(content.array(), expected)).as("read %d", i).isNegative();
    }
  }

  private static void fill(ReplicaFile file, int block, int count, byte value) throws Exception {
    byte[] content = new byte[count * BLOCK];
    Arrays.fill(content, value);
    file.write(ByteBuffer.wrap(content), (long) block * BLOCK);
  }
}
