package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repairs of a layer below snapshots that are being read. */
class LayerRepairTest {
  private static final int BLOCK = 4096;
  private static final String MIDDLE = LonghornLayout.imageOf("middle");

  @TempDir private Path disk;
  private LocalChain chain;

  @BeforeEach
  void open() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "r", "n", disk, "r");
    new ReplicaStorage().provision(location, 64 * BLOCK);
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    chain = LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false);
    write(1);
    snapshot("oldest");
    write(2);
    snapshot("middle");
    chain.layers().write(BLOCK, filled(9));
    snapshot("newest");
  }

  @AfterEach
  void close() throws Exception {
    chain.close();
  }

  private void write(int value) throws Exception {
    chain.layers().write(0, filled(value));
  }

  private static ByteBuffer filled(int value) {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.wrap(content);
  }

  private void snapshot(String name) throws Exception {
    chain.perform(
        new ChainOperation(name, ChainOperation.Kind.SNAPSHOT, name, true, "", Map.of(), 0));
  }

  private int read(String snapshot) throws Exception {
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    chain.read(snapshot, 0, block);
    return block.get(0);
  }

  @Test
  void snapshotAboveARepairedLayerReadsTheRepairedContent() throws Exception {
    assertThat(read("newest")).isEqualTo(2);
    // The middle layer has a block that it must not have.
    chain.transfer().repair(MIDDLE, 0, ByteBuffer.allocate(0), BLOCK);
    assertThat(read("middle")).isEqualTo(1);
    assertThat(read("newest")).isEqualTo(1);
    // The middle layer lost a block.
    chain.transfer().repair(MIDDLE, 0, filled(2), 0);
    assertThat(read("middle")).isEqualTo(2);
    assertThat(read("newest")).isEqualTo(2);
    assertThat(read("oldest")).isEqualTo(1);
  }
}
