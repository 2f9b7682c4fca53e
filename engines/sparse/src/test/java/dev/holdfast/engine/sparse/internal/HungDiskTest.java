package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.UnreturnedMemory;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.HungWrite;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Disks of the engine's node that neither answer nor fail. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HungDiskTest {
  private static final long SIZE = 64L << 20;
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  @TempDir private Path disks;
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final SparseEngine engine =
      new SparseEngine(
          directories::open, "the same boot", executor, Duration.ofMillis(20), SparseEngine::noWay);
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();

  @AfterEach
  void stop() throws InterruptedException {
    replicas.forEach(replica -> directories.wake(replica.directory()));
    engine.stop();
    // Accesses that hung may still change the directories.
    assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  private OpenVolume open(int count) throws Exception {
    while (replicas.size() < count) {
      int number = replicas.size() + 1;
      Path disk = Files.createDirectories(disks.resolve("disk-" + number));
      ReplicaLocation replica =
          new ReplicaLocation("vol", "r-" + number, "node-1", disk, "vol-" + number);
      engine.provisionReplica(replica, SIZE);
      replicas.add(replica);
    }
    return engine.open(
        new OpenRequest(
            "vol",
            SIZE,
            "node-1",
            replicas,
            register,
            new RecordingListener(),
            new OpenOptions(Set.of(), false, TIMEOUT)));
  }

  private void hang(int number) {
    directories.hang(replicas.get(number - 1).directory());
  }

  private void wake(int number) {
    directories.wake(replicas.get(number - 1).directory());
  }

  private void awaitHanging(int number) throws InterruptedException {
    directories.awaitHanging(replicas.get(number - 1).directory());
  }

  private static DeviceIo io(OpenVolume volume) {
    return new DeviceIo(volume.device());
  }

  private static byte[] bytes(int value) {
    byte[] content = new byte[8192];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static void isDropped(OpenVolume volume, String replica) {
    assertThat(volume.replicas()).containsEntry(replica, MemberMode.ERR);
    assertThat(volume.replicas().values()).contains(MemberMode.RW);
  }

  @Test
  void writeSucceedsWithoutTheHungDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(2);
    io(volume).write(0, bytes(2));
    isDropped(volume, "r-2");
    assertThat(io(volume).read(0, 8192)).isEqualTo(bytes(2));
    volume.close();
    OpenVolume again = open(2);
    assertThat(io(again).read(0, 8192)).isEqualTo(bytes(2));
    isDropped(again, "r-2");
  }

  @Test
  void firstWriteWithMarkSucceedsWithoutTheHungDisk() throws Exception {
    OpenVolume volume = open(3);
    hang(1);
    io(volume).write(0, bytes(1));
    isDropped(volume, "r-1");
  }

  @Test
  void flushSucceedsWithoutTheHungDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(1);
    io(volume).flush();
    isDropped(volume, "r-1");
  }

  @Test
  void aReadIsAnsweredByAnotherAndItsBufferIsNotTouchedLater() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(1);
    ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    volume.device().read(0, buffer, failure -> outcome.complete(Optional.ofNullable(failure)));
    awaitHanging(1);
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(buffer.get(0)).isEqualTo((byte) 1);
    isDropped(volume, "r-1");
    buffer.put(0, (byte) 77);
    wake(1);
    untilAnswering(volume, 1);
    assertThat(buffer.get(0)).isEqualTo((byte) 77);
  }

  @Test
  void aHungWriteHasItsBufferUntilItEnds() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    HungWrite hung = directories.hangNextWrite(replicas.get(1).directory());
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20).limit(8192);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    volume
        .device()
        .write(0, buffer, IoFlags.NONE, failure -> outcome.complete(Optional.ofNullable(failure)));
    hung.awaitBegin();
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    isDropped(volume, "r-2");
    assertThat(UnreturnedMemory.overlaps(buffer)).isTrue();
    hung.release();
    untilAnswering(volume, 2);
    assertThat(UnreturnedMemory.overlaps(buffer)).isFalse();
  }

  // A replica can be admitted again once no earlier request is in flight in it.
  private void untilAnswering(OpenVolume volume, int number) throws Exception {
    boolean back = false;
    while (!back) {
      try {
        ((RebuildableVolume) volume)
            .rebuild(replicas.get(number - 1), new RebuildOptions(0))
            .done()
            .toCompletableFuture()
            .get(30, TimeUnit.SECONDS);
        back = true;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      }
    }
  }

  @Test
  void aSnapshotIsTakenWithoutTheDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(2);
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest("s1", true, Instant.EPOCH, Map.of()));
    isDropped(volume, "r-2");
  }

  @Test
  void theReplicaComesBackWhenItsDiskAnswersAgain() throws Exception {
    OpenVolume volume = open(2);
    hang(2);
    io(volume).write(0, bytes(1));
    isDropped(volume, "r-2");
    assertThatThrownBy(
            () -> ((RebuildableVolume) volume).rebuild(replicas.get(1), new RebuildOptions(0)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    io(volume).write(4096, bytes(2));
    wake(2);
    untilAnswering(volume, 2);
    assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
    hang(1);
    io(volume).write(1 << 20, bytes(3));
    isDropped(volume, "r-1");
    assertThat(io(volume).read(0, 4096)).isEqualTo(Arrays.copyOf(bytes(1), 4096));
    assertThat(io(volume).read(4096, 8192)).isEqualTo(bytes(2));
  }

  @Test
  void noMemberIsDroppedWhileNoDiskAnswers() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(1);
    hang(2);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    volume
        .device()
        .write(
            0,
            ByteBuffer.wrap(bytes(2)),
            IoFlags.NONE,
            failure -> outcome.complete(Optional.ofNullable(failure)));
    awaitHanging(1);
    awaitHanging(2);
    assertThat(outcome).isNotDone();
    wake(1);
    wake(2);
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(io(volume).read(0, 8192)).isEqualTo(bytes(2));
  }

  @Test
  void openingSucceedsWithoutTheHungDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    volume.close();
    hang(2);
    OpenVolume again = open(2);
    isDropped(again, "r-2");
    assertThat(io(again).read(0, 8192)).isEqualTo(bytes(1));
    io(again).write(0, bytes(2));
    wake(2);
    untilAnswering(again, 2);
    assertThat(again.replicas().values()).containsOnly(MemberMode.RW);
  }

  @Test
  void openingWaitsWhileNoDiskAnswers() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    volume.close();
    hang(1);
    hang(2);
    CompletableFuture<OpenVolume> opening = opened(2);
    awaitHanging(1);
    awaitHanging(2);
    assertThat(opening).isNotDone();
    wake(1);
    wake(2);
    OpenVolume again = opening.get(30, TimeUnit.SECONDS);
    assertThat(io(again).read(0, 8192)).isEqualTo(bytes(1));
    assertThat(again.replicas().values()).contains(MemberMode.RW);
  }

  private CompletableFuture<OpenVolume> opened(int count) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return open(count);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void closingDoesNotWaitForTheDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(1);
    volume.close();
    wake(1);
    OpenVolume again = open(2);
    assertThat(io(again).read(0, 8192)).isEqualTo(bytes(1));
  }

  @Test
  void closingDoesNotWaitForARebuildIntoTheDisk() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    ((ReducibleVolume) volume).removeReplica("r-2");
    io(volume).write(16 << 20, new byte[4 << 20]);
    var rebuild =
        ((RebuildableVolume) volume).rebuild(replicas.get(1), new RebuildOptions(64 << 10));
    hang(2);
    rebuild.change(new RebuildOptions(0));
    awaitHanging(2);
    volume.close();
    assertThat(rebuild.done().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void handingOverDoesNotWaitForASweepThatWaitsForTheDisks() throws Exception {
    OpenVolume volume = open(2);
    io(volume).write(0, bytes(1));
    hang(1);
    hang(2);
    volume.device().write(0, ByteBuffer.wrap(bytes(2)), IoFlags.NONE, failure -> {});
    awaitHanging(1);
    awaitHanging(2);
    Thread sweep = new Thread(engine::sweep);
    sweep.start();
    while (sweep.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    CompletableFuture<Void> handedOver =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(() -> ((HandoverVolume) volume).handOver(true))
                    .isInstanceOf(StorageException.class));
    handedOver.get(30, TimeUnit.SECONDS);
    sweep.join();
  }

  @Test
  void closingDoesNotWaitForASweepThatWaitsForAnOnlyDisk() throws Exception {
    OpenVolume volume = open(1);
    io(volume).write(0, bytes(1));
    hang(1);
    CompletableFuture<Void> reading =
        CompletableFuture.runAsync(
            () -> volume.device().read(0, ByteBuffer.allocate(4096), failure -> {}));
    awaitHanging(1);
    Thread sweep = new Thread(engine::sweep);
    sweep.start();
    while (sweep.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(volume::close)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    wake(1);
    reading.get(30, TimeUnit.SECONDS);
    sweep.join();
  }

  @Test
  void closingDoesNotWaitForAnOnlyDiskEither() throws Exception {
    OpenVolume volume = open(1);
    io(volume).write(0, bytes(1));
    hang(1);
    CompletableFuture<Void> reading =
        CompletableFuture.runAsync(
            () -> volume.device().read(0, ByteBuffer.allocate(4096), failure -> {}));
    awaitHanging(1);
    assertThatThrownBy(volume::close)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    assertThat(reading).isNotDone();
    assertThatThrownBy(() -> open(1)).hasMessageContaining("has not answered yet");
    wake(1);
    reading.get(30, TimeUnit.SECONDS);
  }
}
