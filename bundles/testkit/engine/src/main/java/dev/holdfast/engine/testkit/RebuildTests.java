package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replicas are added and return while the volume is used. */
abstract class RebuildTests extends EngineTests {
  private static final RebuildOptions SLOW = new RebuildOptions(1);

  private final EngineLab.Replicated lab;

  RebuildTests(EngineLab.Replicated lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void onlyIfDeclared() {
    assumeTrue(has(EngineCapability.REBUILD), "the engine does not declare REBUILD");
  }

  private Rebuild rebuild(OpenVolume volume, ReplicaLocation target, RebuildOptions options)
      throws Exception {
    return ((RebuildableVolume) volume).rebuild(lab.placed(target), options);
  }

  private void rebuild(OpenVolume volume, ReplicaLocation target) throws Exception {
    rebuild(volume, target, RebuildOptions.UNLIMITED).done().toCompletableFuture().get();
  }

  private static byte[] all(OpenVolume volume) throws Exception {
    return io(volume).read(0, (int) SIZE);
  }

  private void checkAlone(ReplicaLocation replica, byte[] content) throws Exception {
    try (OpenVolume volume = open(List.of(replica))) {
      assertThat(Arrays.equals(all(volume), content))
          .as("replica %s alone holds the volume's content", replica.replica())
          .isTrue();
    }
  }

  @Test
  final void emptyReplicaBecomesCurrent() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content;
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(5_000, bytes(3 << 20));
      io(volume).write(SIZE - 10_000, bytes(10_000));
      rebuild(volume, replicas.get(1));
      assertThat(volume.replicas())
          .containsEntry(replicas.get(0).replica(), MemberMode.RW)
          .containsEntry(replicas.get(1).replica(), MemberMode.RW);
      assertThat(register.read().members()).hasSize(2);
      io(volume).write(7_001, bytes(20_000));
      content = all(volume);
    }
    checkAlone(replicas.get(1), content);
  }

  @Test
  final void changesDuringARebuildReachTheTarget() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content;
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(16 << 20));
      Rebuild slow = rebuild(volume, replicas.get(1), new RebuildOptions(1 << 20));
      assertThat(volume.replicas()).containsEntry(slow.replica(), MemberMode.WO);
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try {
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch warm = new CountDownLatch(200);
        Future<?> load =
            thread.submit(
                () -> {
                  change(volume, over, warm);
                  return null;
                });
        warm.await();
        slow.change(RebuildOptions.UNLIMITED);
        slow.done().toCompletableFuture().get();
        over.set(true);
        load.get();
      } finally {
        thread.shutdownNow();
      }
      assertThat(slow.doneBytes()).isEqualTo(slow.totalBytes()).isGreaterThanOrEqualTo(16 << 20);
      content = all(volume);
    }
    checkAlone(replicas.get(1), content);
  }

  // Complete and partial blocks, zeroes and trims, read back at once.
  private void change(OpenVolume volume, AtomicBoolean over, CountDownLatch progress)
      throws Exception {
    Random own = new Random(11);
    DeviceIo io = io(volume);
    while (!over.get()) {
      int offset = own.nextInt(17 << 20);
      byte[] content = new byte[1 + own.nextInt(20_000)];
      switch (own.nextInt(4)) {
        case 0 -> io.zero(offset, content.length, IoFlags.NONE);
        case 1 -> io.trim(offset, content.length);
        default -> {
          own.nextBytes(content);
          io.write(offset, content);
          assertContent(io.read(offset, content.length), content);
        }
      }
      progress.countDown();
    }
  }

  @Test
  final void replicaComesBackWithWhatItMissed() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content;
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, bytes(48 << 20));
      io(volume).flush();
      lab.breakDisk(replicas.get(1));
      io(volume).write(1 << 20, bytes(8192));
      lab.repair(replicas.get(1));
      io(volume).write(40 << 20, bytes(8192));
      Rebuild rebuild = rebuild(volume, replicas.get(1), RebuildOptions.UNLIMITED);
      rebuild.done().toCompletableFuture().get();
      assertThat(rebuild.doneBytes()).isBetween(16_384L, 8L << 20);
      content = all(volume);
    }
    checkAlone(replicas.get(1), content);
  }

  @Test
  final void snapshotsComeToo() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content;
    byte[] earlier = bytes(1 << 20);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, earlier);
      lab.breakDisk(replicas.get(1));
      io(volume).write(8192, bytes(8192));
      lab.repair(replicas.get(1));
      earlier = io(volume).read(0, 1 << 20);
      snapshot(volume, "before");
      io(volume).write(100, bytes(9_000));
      Rebuild rebuild = rebuild(volume, replicas.get(1), RebuildOptions.UNLIMITED);
      rebuild.done().toCompletableFuture().get();
      content = all(volume);
    }
    checkAlone(replicas.get(1), content);
    try (OpenVolume volume = open(List.of(replicas.get(1)))) {
      try (var snapshot = ((SnapshotVolume) volume).openSnapshot("before")) {
        assertContent(new DeviceIo(snapshot).read(0, 1 << 20), earlier);
      }
    }
  }

  private static void snapshot(OpenVolume volume, String name) throws Exception {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  @Test
  final void replicaOfAnotherHistoryIsLeftAsItIs() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] other = bytes(4096);
    InMemoryRegister otherRegister = new InMemoryRegister();
    OpenRequest elsewhere =
        new OpenRequest(
            VOLUME, SIZE, "node-1", replicas.subList(1, 2), otherRegister, new RecordingListener());
    try (OpenVolume volume = engine.open(elsewhere)) {
      io(volume).write(0, other);
    }
    for (int i = 0; i < 3; i++) {
      open(replicas.subList(0, 1)).close();
    }
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      assertThat(failureOf(() -> rebuild(volume, replicas.get(1)))).isEqualTo(ErrorCode.CONFLICT);
      io(volume).write(0, bytes(4096));
    }
  }

  @Test
  final void crashLeavesTheTargetOutsideTheMembersAndTheNextRebuildContinues() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    OpenVolume crashed = open(replicas.subList(0, 1));
    io(crashed).write(0, bytes(8 << 20));
    rebuild(crashed, replicas.get(1), SLOW);
    io(crashed).write(3_333, bytes(5_000));
    byte[] content = all(crashed);
    restartUncleanly();
    assertThat(failureOf(() -> open(replicas.subList(1, 2)))).isEqualTo(ErrorCode.UNREACHABLE);
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.replicas()).containsEntry(replicas.get(1).replica(), MemberMode.ERR);
      rebuild(volume, replicas.get(1));
    }
    checkAlone(replicas.get(1), content);
  }

  @Test
  final void failingTargetDelaysNoRequest() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content;
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(8 << 20));
      Rebuild rebuild = rebuild(volume, replicas.get(1), SLOW);
      lab.breakDisk(replicas.get(1));
      io(volume).write(3_333, bytes(5_000));
      assertThat(rebuild.done().toCompletableFuture()).failsWithin(Duration.ofMinutes(1));
      assertThat(volume.replicas())
          .containsEntry(replicas.get(0).replica(), MemberMode.RW)
          .containsEntry(replicas.get(1).replica(), MemberMode.ERR);
      lab.repair(replicas.get(1));
      rebuild(volume, replicas.get(1));
      content = all(volume);
    }
    checkAlone(replicas.get(1), content);
  }

  @Test
  final void oneReplicaIsRebuiltAtATime() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    try (OpenVolume volume = open(replicas.subList(0, 1))) {
      io(volume).write(0, bytes(8 << 20));
      Rebuild rebuild = rebuild(volume, replicas.get(1), SLOW);
      assertThat(failureOf(() -> rebuild(volume, replicas.get(2)))).isEqualTo(ErrorCode.BUSY);
      rebuild.cancel();
      assertThat(rebuild.done().toCompletableFuture()).failsWithin(Duration.ofMinutes(1));
      rebuild(volume, replicas.get(2));
      assertThat(volume.replicas()).containsEntry(replicas.get(2).replica(), MemberMode.RW);
    }
  }
}
