package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rebuild of a volume that grows or grew: at the end the target has the volume's size. */
@Timeout(120)
class ExpansionMeetsRebuildTest {
  private static final long GROWN = 96L << 20;
  private static final int BLOCK = 4096;

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 2);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  // Waits until a thread is blocked by another structural operation.
  private static void awaitBlocked(Thread thread) {
    while (thread.isAlive() && !blocked(thread)) {
      Thread.onSpinWait();
    }
  }

  private static boolean blocked(Thread thread) {
    StackTraceElement[] frames = thread.getStackTrace();
    return thread.getState() == Thread.State.BLOCKED
        && frames.length > 0
        && frames[0].getClassName().endsWith(".ChainCoordinator");
  }

  @Test
  void targetOfARebuildThatBeganDuringTheExpansionGrowsToo() throws Exception {
    byte[] content = OneNode.filled(BLOCK, 7);
    try (OpenVolume volume = node.open(List.of(node.replica(1)))) {
      FutureTask<Void> expansion =
          new FutureTask<>(
              () -> {
                ((ExpandableVolume) volume).expand(GROWN);
                return null;
              });
      FutureTask<Rebuild> rebuild =
          new FutureTask<>(
              () ->
                  ((RebuildableVolume) volume).rebuild(node.replica(2), RebuildOptions.UNLIMITED));
      node.hang(1);
      new Thread(expansion, "expansion").start();
      node.awaitHanging(1);
      Thread rebuilding = new Thread(rebuild, "rebuild");
      rebuilding.start();
      awaitBlocked(rebuilding);
      node.wake(1);
      expansion.get();
      rebuild.get().done().toCompletableFuture().get();
      new DeviceIo(volume.device()).write(GROWN - BLOCK, content);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
    }
    assertThat(node.engine().inspectReplica(node.replica(2)).orElseThrow().sizeBytes())
        .isEqualTo(GROWN);
    try (OpenVolume volume = node.open()) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(new DeviceIo(volume.device()).read(GROWN - BLOCK, BLOCK)).isEqualTo(content);
    }
  }

  /** The first head of a replica that is created after the growth is longer than old layers. */
  @Test
  void replicaThatIsMadeAfterTheVolumeGrewIsRebuilt() throws Exception {
    byte[] content = OneNode.filled(BLOCK, 7);
    node.engine().deleteReplica(node.replica(2));
    try (OpenVolume volume = node.open(List.of(node.replica(1)))) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, content);
      ((SnapshotVolume) volume)
          .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
      ((ExpandableVolume) volume).expand(GROWN);
      io.write(GROWN - BLOCK, content);
      node.engine().provisionReplica(node.replica(2), GROWN);
      node.rebuild(volume, node.replica(2));
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
    }
    try (OpenVolume volume = node.open(List.of(node.replica(2)))) {
      DeviceIo io = new DeviceIo(volume.device());
      assertThat(io.read(0, BLOCK)).isEqualTo(content);
      assertThat(io.read(GROWN - BLOCK, BLOCK)).isEqualTo(content);
    }
  }
}
