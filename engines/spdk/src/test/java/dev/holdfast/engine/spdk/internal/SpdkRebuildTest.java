package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rebuilds of a replica on another node. */
class SpdkRebuildTest {
  private static final int BLOCK = 4_096;
  private static final int MIB = 1 << 20;
  private static final int SIZE = (int) SpdkCluster.SIZE;
  private static final String NEAR = "node-1";
  private static final String FAR = "node-2";

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final Random random = new Random(7);
  private SpdkCluster cluster;
  private List<ReplicaLocation> replicas;

  /** Creates the nodes of a test. */
  SpdkCluster cluster(Path folder) throws Exception {
    return new SpdkCluster(folder, SpdkLab::new, 3);
  }

  @BeforeEach
  void provision() throws Exception {
    provision(disks);
  }

  final void provision(Path folder) throws Exception {
    cluster = cluster(folder);
    replicas = cluster.provision("vol", NEAR, FAR);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.stop();
  }

  private SpdkVolume open(List<ReplicaLocation> some) throws StorageException {
    return open(NEAR, some);
  }

  private SpdkVolume open(String node, List<ReplicaLocation> some) throws StorageException {
    return cluster.open(node, some, register, listener);
  }

  private byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private static DeviceIo io(SpdkVolume volume) {
    return new DeviceIo(volume.device());
  }

  private static void snapshot(SpdkVolume volume, String name) throws StorageException {
    var unused =
        volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of("a", name)));
  }

  private Rebuild rebuild(SpdkVolume volume) throws StorageException {
    return volume.rebuild(replicas.get(1), RebuildOptions.UNLIMITED);
  }

  private static void await(Rebuild rebuild) throws Exception {
    var unused = rebuild.done().toCompletableFuture().get();
  }

  private void requireEqual(String content) throws Exception {
    cluster.requireEqual(replicas, register, List.of(content));
  }

  @Test
  void emptyReplicaBecomesCurrentWithAllSnapshots() throws Exception {
    try (SpdkVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(3 * MIB));
      snapshot(volume, "s1");
      io(volume).write(MIB, bytes(BLOCK));
      io(volume).write(9 * MIB, bytes(BLOCK));
      snapshot(volume, "s2");
      io(volume).write(5 * MIB, bytes(BLOCK));
      byte[] before = io(volume).read(0, SIZE);
      Rebuild rebuild = rebuild(volume);
      assertThat(rebuild.replica()).isEqualTo("vol-r-node-2");
      for (int i = 0; i < 4; i++) { // the mirror reads from both legs
        assertThat(io(volume).read(0, SIZE)).as("content during the rebuild").isEqualTo(before);
      }
      io(volume).write(6 * MIB, bytes(BLOCK));
      await(rebuild);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(register.record().members()).hasSize(2);
      assertThat(rebuild.doneBytes()).isEqualTo(rebuild.totalBytes()).isPositive();
      io(volume).write(7 * MIB, bytes(BLOCK));
      assertThat(volume.snapshots()).extracting(SnapshotInfo::name).containsExactly("s1", "s2");
      snapshot(volume, "s3");
    }
    for (String content : List.of("s1", "s2", "s3", SnapshotInfo.HEAD)) {
      requireEqual(content);
    }
  }

  @Test
  void nodeWithoutAReplicaRebuildsOneFromAnotherNode() throws Exception {
    try (SpdkVolume volume = open("node-3", replicas.subList(0, 1))) {
      io(volume).write(0, bytes(3 * MIB));
      snapshot(volume, "s1");
      io(volume).write(9 * MIB, bytes(BLOCK));
      byte[] before = io(volume).read(0, SIZE);
      Rebuild rebuild = volume.rebuild(replicas.get(1), new RebuildOptions(512L << 20));
      assertThat(io(volume).read(0, SIZE)).as("content during the rebuild").isEqualTo(before);
      await(rebuild);
      assertThat(rebuild.doneBytes()).isEqualTo(rebuild.totalBytes()).isEqualTo(4 * MIB);
      assertThat(register.record().members()).hasSize(2);
      io(volume).write(6 * MIB, bytes(BLOCK));
    }
    requireEqual("s1");
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void replicaOfTheNodeItselfIsRebuiltFromAnotherNode() throws Exception {
    try (SpdkVolume volume = open(NEAR, replicas.subList(1, 2))) {
      io(volume).write(0, bytes(3 * MIB));
      snapshot(volume, "s1");
      io(volume).write(9 * MIB, bytes(BLOCK));
      await(volume.rebuild(replicas.get(0), RebuildOptions.UNLIMITED));
      assertThat(register.record().members()).hasSize(2);
      io(volume).write(6 * MIB, bytes(BLOCK));
    }
    requireEqual("s1");
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void replicaOfACloneGetsWhatTheCloneShares() throws Exception {
    byte[] content = bytes(3 * MIB);
    List<ReplicaLocation> clones;
    try (SpdkVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(2 * MIB, content);
      snapshot(volume, "s0");
      io(volume).write(0, bytes(2 * MIB));
      snapshot(volume, "s1");
      clones = List.of(clone("copy", "s1"), cluster.provision("copy", FAR).get(0));
    }
    InMemoryRegister own = new InMemoryRegister();
    byte[] whole;
    try (SpdkVolume clone = cluster.open(NEAR, clones.subList(0, 1), own, listener)) {
      io(clone).write(3 * MIB, bytes(BLOCK));
      snapshot(clone, "c1");
      Rebuild rebuild = clone.rebuild(clones.get(1), RebuildOptions.UNLIMITED);
      await(rebuild);
      assertThat(rebuild.doneBytes()).isEqualTo(rebuild.totalBytes()).isEqualTo(6 * MIB);
      whole = io(clone).read(0, SIZE);
    }
    try (SpdkVolume rebuilt = cluster.open(FAR, clones.subList(1, 2), own, listener)) {
      assertThat(io(rebuilt).read(0, SIZE)).isEqualTo(whole);
      assertThat(new DeviceIo(rebuilt.openSnapshot("c1")).read(0, SIZE)).isEqualTo(whole);
    }
  }

  /** Creates a replica of a clone on the disk of the first replica. */
  private ReplicaLocation clone(String volume, String snapshot) throws StorageException {
    ReplicaLocation source = replicas.get(0);
    ReplicaLocation replica =
        new ReplicaLocation(volume, volume + "-r-1", source.disk(), volume + "-1", false);
    cluster
        .engine(NEAR)
        .cloneReplica(replica, SIZE, new SnapshotContent(source, snapshot, volume + "-content"));
    return replica;
  }

  @Test
  void writesDuringARebuildReachBothLegs() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    AtomicBoolean over = new AtomicBoolean();
    try (SpdkVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(8 * MIB));
      CountDownLatch progress = new CountDownLatch(20);
      Future<?> writer = thread.submit(() -> write(volume, over, progress));
      progress.await();
      await(rebuild(volume));
      over.set(true);
      writer.get();
    } finally {
      over.set(true);
      thread.shutdownNow();
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  private static Void write(SpdkVolume volume, AtomicBoolean over, CountDownLatch progress)
      throws Exception {
    Random own = new Random(3);
    while (!over.get()) {
      byte[] content = new byte[BLOCK];
      own.nextBytes(content);
      long offset = own.nextInt(SIZE / BLOCK) * (long) BLOCK;
      io(volume).write(offset, content);
      assertThat(io(volume).read(offset, BLOCK)).isEqualTo(content);
      progress.countDown();
    }
    return null;
  }

  @Test
  void replicaThatLeftGetsOnlyWhatItLacks() throws Exception {
    try (SpdkVolume volume = open(replicas)) {
      io(volume).write(0, bytes(8 * MIB));
      snapshot(volume, "s1");
      volume.removeReplica("vol-r-node-2");
      io(volume).write(9 * MIB, bytes(BLOCK));
      snapshot(volume, "s2");
      Rebuild rebuild = rebuild(volume);
      await(rebuild);
      assertThat(rebuild.doneBytes()).isEqualTo(MIB);
    }
    requireEqual("s1");
    requireEqual("s2");
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void replicaOfAnotherHistoryIsRefused() throws Exception {
    try (SpdkVolume other =
        cluster.open(FAR, replicas.subList(1, 2), new InMemoryRegister(), listener)) {
      io(other).write(0, bytes(BLOCK));
    }
    try (SpdkVolume volume = open(replicas.subList(0, 1))) {
      StorageException refusal =
          catchThrowableOfType(StorageException.class, () -> rebuild(volume));
      assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
      io(volume).write(0, bytes(BLOCK));
    }
  }

  @Test
  void lostTargetLeavesAndTheNextRebuildContinues() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(8 * MIB));
      Rebuild first = rebuild(volume);
      first.cancel();
      assertThat(catchThrowable(() -> await(first))).isNotNull();
      assertThat(register.record().members()).hasSize(1);
      io(volume).write(0, content);
      StorageException alone =
          catchThrowableOfType(
              StorageException.class,
              () -> cluster.open(FAR, replicas.subList(1, 2), register, listener));
      assertThat(alone.code()).isIn(ErrorCode.NOT_FOUND, ErrorCode.UNREACHABLE);
      await(rebuild(volume));
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void killOfTheEngineLeavesTheTargetOutsideTheMembers() throws Exception {
    SpdkVolume crashed = open(replicas.subList(0, 1));
    io(crashed).write(0, bytes(8 * MIB));
    var unused = rebuild(crashed);
    cluster.kill(NEAR);
    cluster.start(NEAR);
    try (SpdkVolume volume = open(replicas)) {
      byte[] content = io(volume).read(0, SIZE);
      if (volume.replicas().get("vol-r-node-2") != MemberMode.RW) {
        await(rebuild(volume));
      }
      assertThat(io(volume).read(0, SIZE)).isEqualTo(content);
      assertThat(volume.snapshots()).isEmpty();
    }
    requireEqual(SnapshotInfo.HEAD);
  }
}
