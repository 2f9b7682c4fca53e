package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A removed snapshot is coalesced on some replicas and not yet on others: the volume is equal on
 * all replicas, but single layers differ.
 */
@Timeout(60)
class UnevenLayersTest {
  private static final long SIZE = 64L << 20;
  // The members supply the copied regions in turn.
  private static final List<Long> OFFSETS = List.of(0L, 16L << 20, 32L << 20, 48L << 20);
  private static final String BOOT = "boot";

  @TempDir private Path disks;
  // Later than the sessions of a rebuild.
  private long session = 1L << 40;
  private final InMemoryRegister register = new InMemoryRegister();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine = new SparseEngine();
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private ReplicaLocation replica(int number) throws Exception {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + number, "node", disks.resolve("d" + number), "vol");
    engine.provisionReplica(location, SIZE);
    return location;
  }

  private List<ReplicaLocation> replicas(int count) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      replicas.add(replica(number));
    }
    return replicas;
  }

  private OpenVolume open(List<ReplicaLocation> replicas) throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node", replicas, register, new RecordingListener()));
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static void snapshot(OpenVolume volume, String name) throws Exception {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  /** Writes data below two snapshots, and removes the older one. */
  private void fill(List<ReplicaLocation> replicas) throws Exception {
    try (OpenVolume volume = open(replicas)) {
      DeviceIo io = new DeviceIo(volume.device());
      for (long offset : OFFSETS) {
        io.write(offset, filled(1));
      }
      snapshot(volume, "old");
      io.write(4096, filled(2));
      snapshot(volume, "kept");
    }
    ChainOperation removal =
        new ChainOperation("a-removal", ChainOperation.Kind.REMOVE, "old", false, "", Map.of(), 0);
    for (ReplicaLocation replica : replicas) {
      at(replica, let -> let.replica().chain().perform(removal));
    }
  }

  private interface Work {
    void run(ReplicaSession let) throws Exception;
  }

  private void at(ReplicaLocation replica, Work work) throws Exception {
    Token token = new Token(register.read().generation(), session++);
    ReplicaSession let =
        new ReplicaHost(LocalReplicaDirectory::new, BOOT).fence(replica, token, by -> {});
    work.run(let);
    let.close();
  }

  private void coalesce(ReplicaLocation replica) throws Exception {
    at(
        replica,
        let -> {
          ReplicaChain chain = let.replica().chain();
          assertThat(chain.coalesce(Set.of())).isTrue();
          assertThat(chain.coalesce(Set.of())).isFalse();
        });
  }

  private void checkContent(ReplicaLocation replica) throws Exception {
    at(
        replica,
        let -> {
          ReplicaChain chain = let.replica().chain();
          for (long offset : OFFSETS) {
            ByteBuffer head = ByteBuffer.allocate(4096);
            let.replica().read(offset, head);
            assertThat(head.array()).as("%s at %d", replica.replica(), offset).isEqualTo(filled(1));
            ByteBuffer kept = ByteBuffer.allocate(4096);
            chain.read("kept", offset, kept);
            assertThat(kept.array()).as("snapshot, at %d", offset).isEqualTo(filled(1));
          }
        });
  }

  private void rebuildsThird(int coalesced) throws Exception {
    List<ReplicaLocation> two = replicas(2);
    fill(two);
    coalesce(two.get(coalesced));
    ReplicaLocation third = replica(3);
    try (OpenVolume volume = open(two)) {
      ((RebuildableVolume) volume)
          .rebuild(third, RebuildOptions.UNLIMITED)
          .done()
          .toCompletableFuture()
          .get();
      assertThat(volume.replicas()).containsEntry("r-3", MemberMode.RW);
    }
    checkContent(third);
    checkContent(two.get(0));
    checkContent(two.get(1));
  }

  @Test
  void rebuildCopiesWholeVolumeWhenFirstReplicaCoalescedAlone() throws Exception {
    rebuildsThird(0);
  }

  @Test
  void rebuildCopiesWholeVolumeWhenSecondReplicaCoalescedAlone() throws Exception {
    rebuildsThird(1);
  }

  @Test
  void scrubKeepsDataOfAReplicaThatCoalescedAlone() throws Exception {
    List<ReplicaLocation> three = replicas(3);
    fill(three);
    coalesce(three.get(0));
    Throwable why;
    try (OpenVolume volume = open(three)) {
      why =
          catchThrowable(
              () ->
                  ((ScrubbableVolume) volume)
                      .scrub("kept", ScrubOptions.UNLIMITED)
                      .done()
                      .toCompletableFuture()
                      .get());
    }
    for (ReplicaLocation replica : three) {
      checkContent(replica);
    }
    assertThat(why).isInstanceOf(ExecutionException.class);
    assertThat(((StorageException) why.getCause()).code()).isEqualTo(ErrorCode.BUSY);
  }
}
