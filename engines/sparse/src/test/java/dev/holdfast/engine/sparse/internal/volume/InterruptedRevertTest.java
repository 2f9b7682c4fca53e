package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A revert that not all replicas make at once: in the end all hold what the snapshot holds. */
@Timeout(120)
class InterruptedRevertTest {
  private static final long SIZE = 64L << 20;
  private static final int BLOCK = 4096;
  // After all sessions of an engine.
  private static final long LATE = 1L << 50;
  private static final ChainOperation REVERT =
      new ChainOperation(
          "an-operation",
          ChainOperation.Kind.REVERT,
          "s",
          false,
          "2026-11-21T08:00:00Z",
          Map.of(),
          0);

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final FragileDirectories directories = new FragileDirectories(broken);
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
    for (int i = 1; i <= 2; i++) {
      Path disk = disks.resolve("disk-" + i);
      replicas.add(new ReplicaLocation("vol", "vol-r-" + i, "node-1", disk, "vol-" + i));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
    try (OpenVolume volume = open(replicas)) {
      DeviceIo device = new DeviceIo(volume.device());
      device.write(0, filled(1));
      var unused =
          ((SnapshotVolume) volume)
              .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
      device.write(0, filled(2));
    }
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private OpenVolume open(List<ReplicaLocation> some) throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node-1", some, register, new RecordingListener()));
  }

  private void rebuildSecond(OpenVolume volume) throws Exception {
    var unused =
        ((RebuildableVolume) volume)
            .rebuild(replicas.get(1), RebuildOptions.UNLIMITED)
            .done()
            .toCompletableFuture()
            .get();
    assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(2);
  }

  // As an engine leaves it that dies before all have made it.
  private void recordPending() throws Exception {
    Membership before = register.read();
    assertThat(register.compareAndSet(before, Records.withPending(before, REVERT.encoded())))
        .isTrue();
  }

  private interface Step {
    void with(LocalReplica replica) throws Exception;
  }

  private void at(ReplicaLocation location, Step step) throws Exception {
    Token token = new Token(register.read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, "boot").fence(location, token, by -> {});
    step.with(session.replica());
    session.close();
  }

  private void assertAllHold(int value) throws Exception {
    for (ReplicaLocation location : replicas) {
      ByteBuffer content = ByteBuffer.allocate(BLOCK);
      at(location, replica -> replica.read(0, content));
      assertThat(content.array()).as(location.replica()).isEqualTo(filled(value));
    }
  }

  @Test
  void marksDoNotBringBackWhatOneHasThrownAwayAlready() throws Exception {
    recordPending();
    BitSet marked = new BitSet();
    marked.set(0);
    for (ReplicaLocation location : replicas) {
      at(location, replica -> replica.mark(marked));
    }
    at(replicas.get(1), replica -> replica.chain().perform(REVERT));
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(2);
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(filled(1));
    }
    assertAllHold(1);
  }

  @Test
  void replicaThatIsAwayMeanwhileMissesEverything() throws Exception {
    recordPending();
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      rebuildSecond(volume);
    }
    assertAllHold(1);
  }

  @Test
  void replicaThatFailsMeanwhileMissesEverything() throws Exception {
    try (OpenVolume volume = open(replicas)) {
      broken.add(replicas.get(1).directory());
      ((SnapshotVolume) volume).revert("s");
      broken.clear();
      rebuildSecond(volume);
    }
    assertAllHold(1);
  }
}
