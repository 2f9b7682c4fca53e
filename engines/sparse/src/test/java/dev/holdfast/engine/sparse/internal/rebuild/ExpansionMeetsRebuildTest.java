package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rebuild that begins while the volume grows: the target has the volume's size in the end. */
@Timeout(120)
class ExpansionMeetsRebuildTest {
  private static final long SIZE = 64L << 20;
  private static final long GROWN = 96L << 20;

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine =
        new SparseEngine(
            directories::open,
            "boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            (location, token, timeout, listener) -> {
              throw new AssertionError("all replicas are here");
            });
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  // As far as it comes while another structural operation is under way.
  private static void awaitBlocked(Thread thread) {
    while (thread.isAlive() && !blocked(thread)) {
      Thread.onSpinWait();
    }
  }

  private static boolean blocked(Thread thread) {
    StackTraceElement[] frames = thread.getStackTrace();
    return thread.getState() == Thread.State.BLOCKED
        && frames.length > 0
        && frames[0].getClassName().endsWith(".Structure");
  }

  private ReplicaLocation replica(int number) throws Exception {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + number, "node", disks.resolve("d" + number), "vol");
    engine.provisionReplica(location, SIZE);
    return location;
  }

  private OpenVolume open(ReplicaLocation... replicas) throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node", List.of(replicas), register, new RecordingListener()));
  }

  @Test
  void targetOfRebuildThatBeganMeanwhileGrowsToo() throws Exception {
    ReplicaLocation first = replica(1);
    ReplicaLocation second = replica(2);
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) 7);
    try (OpenVolume volume = open(first)) {
      FutureTask<Void> expansion =
          new FutureTask<>(
              () -> {
                ((ExpandableVolume) volume).expand(GROWN);
                return null;
              });
      FutureTask<Rebuild> rebuild =
          new FutureTask<>(
              () -> ((RebuildableVolume) volume).rebuild(second, RebuildOptions.UNLIMITED));
      directories.hang(first.directory());
      new Thread(expansion, "expansion").start();
      directories.awaitHanging(first.directory());
      Thread rebuilding = new Thread(rebuild, "rebuild");
      rebuilding.start();
      awaitBlocked(rebuilding);
      directories.wake(first.directory());
      expansion.get();
      rebuild.get().done().toCompletableFuture().get();
      new DeviceIo(volume.device()).write(GROWN - 4096, content);
      assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(2);
    }
    assertThat(engine.inspectReplica(second).orElseThrow().sizeBytes()).isEqualTo(GROWN);
    try (OpenVolume volume = open(first, second)) {
      assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(2);
      assertThat(new DeviceIo(volume.device()).read(GROWN - 4096, 4096)).isEqualTo(content);
    }
  }
}
