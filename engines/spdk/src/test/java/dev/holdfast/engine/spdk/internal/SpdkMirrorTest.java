package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
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

/** Volumes of several replicas on disks of one node. */
class SpdkMirrorTest {
  private static final long SIZE = 16L << 20;
  private static final int BLOCK = 4_096;

  @TempDir private Path disks;
  private SpdkLab lab;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final Random random = new Random(7);
  private SpdkEngine engine;
  private List<ReplicaLocation> replicas;

  /** Creates the lab of a test. */
  SpdkLab lab() {
    return new SpdkLab();
  }

  @BeforeEach
  void provision() throws Exception {
    provision(disks);
  }

  final void provision(Path folder) throws Exception {
    lab = lab();
    engine = lab.start();
    replicas = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      var unused = engine.prepareDisk(lab.disk(folder, i));
      replicas.add(
          new ReplicaLocation("vol", "vol-r-" + i, lab.disk(folder, i), "vol-" + i, false));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
  }

  @AfterEach
  void stop() throws Exception {
    lab.stop(engine);
  }

  private SpdkVolume open(List<ReplicaLocation> some) throws StorageException {
    return (SpdkVolume)
        engine.open(new OpenRequest("vol", SIZE, "node-1", some, register, listener));
  }

  private byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private static DeviceIo io(SpdkVolume volume) {
    return new DeviceIo(volume.device());
  }

  private static SnapshotRequest named(String name) {
    return new SnapshotRequest(name, true, Instant.EPOCH, Map.of());
  }

  /** Opens a replica without the others and reads its content, or that of a snapshot. */
  private byte[] alone(int number, String snapshot) throws Exception {
    InMemoryRegister other = new InMemoryRegister();
    other.put(register.record());
    try (SpdkVolume volume =
        (SpdkVolume)
            engine.open(
                new OpenRequest(
                    "vol",
                    SIZE,
                    "node-1",
                    replicas.subList(number, number + 1),
                    other,
                    new RecordingListener()))) {
      register.put(other.record());
      if (snapshot.equals(SnapshotInfo.HEAD)) {
        return io(volume).read(0, (int) SIZE);
      }
      return new DeviceIo(volume.openSnapshot(snapshot)).read(0, (int) SIZE);
    }
  }

  private void restore(Membership members) {
    register.put(
        new Membership(
            register.record().generation(),
            "node-1",
            register.record().epochGeneration(),
            register.record().epochNumber() + 1,
            members.members()));
  }

  private void requireEqual(String content) throws Exception {
    Membership members = register.record();
    byte[] first = alone(0, content);
    restore(members);
    assertThat(alone(1, content)).as(content + " on both legs").isEqualTo(first);
    restore(members);
  }

  @Test
  void allLegsHoldAllBytes() throws Exception {
    byte[] content = bytes(300_000);
    try (SpdkVolume volume = open(replicas)) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(register.record().members()).hasSize(2);
      io(volume).write(1_000_001, content);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void snapshotsUnderWritesAreOneMomentOnAllLegs() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    AtomicBoolean over = new AtomicBoolean();
    try (SpdkVolume volume = open(replicas)) {
      NativeExport export = volume.export(lab.request("nvmeof", "vol"));
      HostConnection host = lab.connect(export.endpoints().get(0));
      CountDownLatch progress = new CountDownLatch(20);
      List<Future<?>> writers = new ArrayList<>();
      writers.add(threads.submit(() -> write(over, progress, 0, host::write)));
      writers.add(threads.submit(() -> write(over, progress, 1 << 20, io(volume)::write)));
      progress.await();
      for (int i = 0; i < 4; i++) {
        assertThat(volume.createSnapshot(named("s" + i)).name()).isEqualTo("s" + i);
      }
      over.set(true);
      for (Future<?> writer : writers) {
        writer.get();
      }
      host.close();
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    for (int i = 0; i < 4; i++) {
      requireEqual("s" + i);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  /**
   * A write of a host or of the device. The two write different ranges, because SPDK's mirror does
   * not order overlapping writes that are in flight.
   */
  private interface Write {
    void run(long offset, byte[] content) throws Exception;
  }

  private static Void write(AtomicBoolean over, CountDownLatch progress, long base, Write write)
      throws Exception {
    Random own = new Random(3);
    while (!over.get()) {
      byte[] content = new byte[BLOCK];
      own.nextBytes(content);
      write.run(base + own.nextInt(64) * (long) BLOCK, content);
      progress.countDown();
    }
    return null;
  }

  @Test
  void removedReplicaIsDecidedInTheRegisterAndDoesNotOpenAlone() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(replicas)) {
      io(volume).write(0, content);
      volume.removeReplica("vol-r-1");
      volume.removeReplica("vol-r-1");
      assertThat(register.record().members()).hasSize(1);
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.ERR)
          .containsEntry("vol-r-2", MemberMode.RW);
      io(volume).write(BLOCK, content);
      StorageException last =
          catchThrowableOfType(StorageException.class, () -> volume.removeReplica("vol-r-2"));
      assertThat(last.code()).isEqualTo(ErrorCode.CONFLICT);
      engine.deleteReplica(replicas.get(0));
      assertThat(io(volume).read(BLOCK, BLOCK)).isEqualTo(content);
      engine.provisionReplica(replicas.get(0), SIZE);
    }
    StorageException stale =
        catchThrowableOfType(StorageException.class, () -> open(replicas.subList(0, 1)));
    assertThat(stale.code()).isEqualTo(ErrorCode.UNREACHABLE);
    try (SpdkVolume volume = open(replicas)) {
      assertThat(volume.replicas()).containsEntry("vol-r-1", MemberMode.ERR);
      assertThat(io(volume).read(BLOCK, BLOCK)).isEqualTo(content);
    }
  }

  @Test
  void legThatTheMirrorDroppedLeavesTheEpoch() throws Exception {
    try (SpdkVolume volume = open(replicas);
        SpdkTarget target = new SpdkTarget(lab.socket())) {
      JsonNode raid =
          target.call("bdev_raid_get_bdevs", SpdkTarget.params().put("category", "all")).path(0);
      String leg = raid.path("base_bdevs_list").path(1).path("name").asText();
      target.run("bdev_raid_remove_base_bdev", SpdkTarget.params().put("name", leg));
      engine.lookAtLegs();
      assertThat(register.record().members()).hasSize(1);
      assertThat(listener.modes()).containsEntry("vol-r-2", MemberMode.ERR);
      io(volume).write(0, bytes(BLOCK));
      assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
    }
    try (SpdkVolume volume = open(replicas)) {
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.RW)
          .containsEntry("vol-r-2", MemberMode.ERR);
    }
  }

  @Test
  void unreachableRegisterDelaysTheRecordOfADroppedLeg() throws Exception {
    try (SpdkVolume volume = open(replicas);
        SpdkTarget target = new SpdkTarget(lab.socket())) {
      JsonNode raid =
          target.call("bdev_raid_get_bdevs", SpdkTarget.params().put("category", "all")).path(0);
      String leg = raid.path("base_bdevs_list").path(0).path("name").asText();
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      target.run("bdev_raid_remove_base_bdev", SpdkTarget.params().put("name", leg));
      engine.lookAtLegs();
      assertThat(register.record().members()).hasSize(2);
      register.become(InMemoryRegister.Mode.ANSWERS_LOST);
      engine.lookAtLegs();
      register.become(InMemoryRegister.Mode.REACHABLE);
      engine.lookAtLegs();
      assertThat(register.record().members()).hasSize(1);
      assertThat(volume.replicas()).containsEntry("vol-r-1", MemberMode.ERR);
    }
  }

  @Test
  void oneLegCountsAfterAKillOfTheTarget() throws Exception {
    byte[] content = bytes(BLOCK);
    io(open(replicas)).write(0, content);
    lab.kill(engine);
    lab.killTarget();
    lab.startTarget();
    engine = lab.start();
    try (SpdkVolume volume = open(replicas)) {
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.RW)
          .containsEntry("vol-r-2", MemberMode.ERR);
      assertThat(register.record().members()).hasSize(1);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
  }

  @Test
  void allLegsCountAfterAKillOfTheEngineAlone() throws Exception {
    byte[] content = bytes(BLOCK);
    io(open(replicas)).write(0, content);
    lab.kill(engine);
    engine = lab.start();
    try (SpdkVolume volume = open(replicas)) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void growthAndRevertReachAllLegs() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(replicas)) {
      io(volume).write(0, content);
      var unused = volume.createSnapshot(named("s1"));
      io(volume).write(0, bytes(BLOCK));
      volume.expand(2 * SIZE);
      assertThat(volume.device().size()).isEqualTo(2 * SIZE);
      io(volume).write(2 * SIZE - BLOCK, content);
      volume.revert("s1");
      assertThat(volume.device().size()).isEqualTo(2 * SIZE);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
      assertThat(io(volume).read(2 * SIZE - BLOCK, BLOCK)).containsOnly(0);
    }
    requireEqual(SnapshotInfo.HEAD);
    requireEqual("s1");
  }

  /**
   * Reads never return clusters of a deleted replica or data that a disk held before its
   * preparation.
   */
  @Test
  void newReplicaShowsNothingOfEarlierData() throws Exception {
    List<ReplicaLocation> one = replicas.subList(0, 1);
    try (SpdkVolume volume = open(one)) {
      io(volume).write(0, bytes((int) SIZE));
    }
    engine.deleteReplica(one.get(0));
    engine.provisionReplica(one.get(0), SIZE);
    register.put(Membership.NONE);
    try (SpdkVolume volume = open(one)) {
      for (long at = 0; at < SIZE; at += 1 << 20) {
        io(volume).write(at + BLOCK, new byte[BLOCK]);
      }
      assertThat(io(volume).read(0, (int) SIZE)).containsOnly(0);
    }
  }

  @Test
  void newReplicaShowsNothingThatTheDiskHeldBefore() throws Exception {
    DiskLocation used = lab.disk(disks, 9);
    byte[] old = new byte[64 << 20];
    Arrays.fill(old, (byte) 0xa5);
    try (RandomAccessFile device = new RandomAccessFile(used.path().toFile(), "rw")) {
      device.seek(4 << 20);
      device.write(old);
    }
    var unused = engine.prepareDisk(used);
    ReplicaLocation replica = new ReplicaLocation("new", "new-r-1", used, "new-1", false);
    engine.provisionReplica(replica, SIZE);
    try (SpdkVolume volume =
        (SpdkVolume)
            engine.open(
                new OpenRequest(
                    "new", SIZE, "node-1", List.of(replica), new InMemoryRegister(), listener))) {
      for (long at = 0; at < SIZE; at += 1 << 20) {
        io(volume).write(at + BLOCK, new byte[BLOCK]);
      }
      assertThat(io(volume).read(0, (int) SIZE)).containsOnly(0);
    }
  }
}
