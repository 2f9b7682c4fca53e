package dev.holdfast.engine.sparse.internal.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layers that lost or got blocks without the engine, and later reads through them. */
class LostBlocksTest {
  private static final long SIZE = 32 << 20;
  private static final int BLOCK = 4096;

  @TempDir private Path disks;
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private final InMemoryRegister register = new InMemoryRegister();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine =
        new SparseEngine(
            LocalReplicaDirectory::new,
            "boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            (location, token, timeout, listener) -> {
              throw new AssertionError("all replicas are here");
            });
    for (int i = 1; i <= 2; i++) {
      replicas.add(new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol"));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
    try (OpenVolume volume = open()) {
      new DeviceIo(volume.device()).write(0, filled(1, 4));
      take(volume, "s1");
      new DeviceIo(volume.device()).write(BLOCK, filled(2, 1));
      take(volume, "s2");
      scrub(volume, "s1");
      scrub(volume, "s2");
    }
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private OpenVolume open() throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node", replicas, register, new RecordingListener()));
  }

  private static byte[] filled(int value, int blocks) {
    byte[] content = new byte[blocks * BLOCK];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static void take(OpenVolume volume, String name) throws Exception {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  private static ScrubResult scrub(OpenVolume volume, String snapshot) throws Exception {
    return ((ScrubbableVolume) volume)
        .scrub(snapshot, ScrubOptions.UNLIMITED)
        .done()
        .toCompletableFuture()
        .get();
  }

  private interface Change {
    void on(ReplicaFile file) throws IOException;
  }

  private void damage(String snapshot, Change change) throws IOException {
    LocalReplicaDirectory directory = new LocalReplicaDirectory(replicas.get(1).directory());
    Path path = replicas.get(1).directory().resolve(LonghornLayout.imageOf(snapshot));
    FileTime changed = Files.getLastModifiedTime(path);
    try (ReplicaFile file = directory.open(LonghornLayout.imageOf(snapshot))) {
      change.on(file);
    }
    // Damage on the disk does not change the modification time.
    Files.setLastModifiedTime(path, changed);
  }

  private void checkRepaired(String snapshot, int blocks) throws Exception {
    try (OpenVolume volume = open()) {
      checkRepaired(volume, snapshot, blocks);
    }
  }

  private static void checkRepaired(OpenVolume volume, String snapshot, int blocks)
      throws Exception {
    byte[] content = filled(1, 4);
    System.arraycopy(filled(2, 1), 0, content, BLOCK, BLOCK);
    ScrubResult result = scrub(volume, snapshot);
    assertThat(result.repaired()).containsExactly("r-2");
    assertThat(result.repairedBytes()).isEqualTo((long) blocks * BLOCK);
    assertThat(result.damaged()).isEmpty();
    ((ReducibleVolume) volume).removeReplica("r-1");
    assertThat(new DeviceIo(volume.device()).read(0, content.length)).isEqualTo(content);
    new DeviceIo(volume.device()).write(2 * BLOCK, filled(3, 1));
    assertThat(new DeviceIo(volume.device()).read(2 * BLOCK, BLOCK)).isEqualTo(filled(3, 1));
  }

  @Test
  void blockThatIsLostComesBackAndHidesTheOneBelowAgain() throws Exception {
    damage("s2", file -> file.punch(BLOCK, BLOCK));
    checkRepaired("s2", 1);
  }

  @Test
  void wrongBlockIsRemovedAndTheOneBelowIsVisibleAgain() throws Exception {
    damage("s2", file -> file.write(ByteBuffer.wrap(filled(7, 2)), 2 * BLOCK));
    checkRepaired("s2", 2);
  }

  @Test
  void layerThatIsCutOffIsAsLongAsBefore() throws Exception {
    Path file = replicas.get(1).directory().resolve(LonghornLayout.imageOf("s1"));
    try (OpenVolume volume = open();
        var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(2 * BLOCK);
      checkRepaired(volume, "s1", 2);
    }
    assertThat(file.toFile().length()).isEqualTo(SIZE);
  }

  @Test
  void damagedChecksumsAreMadeAgain() throws Exception {
    LocalReplicaDirectory directory = new LocalReplicaDirectory(replicas.get(1).directory());
    directory.store("holdfast/sums-s1", new byte[] {1, 2, 3});
    directory.store("holdfast/checksum-s1", new byte[] {1, 2, 3});
    try (OpenVolume volume = open()) {
      ScrubResult result = scrub(volume, "s1");
      assertThat(result.repaired()).isEmpty();
      assertThat(result.damaged()).isEmpty();
      assertThat(((SnapshotVolume) volume).snapshots().get(0).checksum())
          .isEqualTo(result.checksum());
    }
  }
}
