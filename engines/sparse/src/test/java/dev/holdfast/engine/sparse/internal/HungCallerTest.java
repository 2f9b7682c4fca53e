package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.IoThread;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Disks that hang while a connection's thread writes to several of them: another thread continues,
 * and each replica must get each request once.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HungCallerTest {
  private static final int REPLICAS = 3;
  private static final int WRITES = 4;

  // The engine's own records have other lengths.
  private static final int LENGTH = 12288;

  private static final Duration LONG = Duration.ofSeconds(8);
  private static final Duration SHORT = Duration.ofMillis(250);

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void provision() throws Exception {
    node = new OneNode(disks, REPLICAS);
  }

  @AfterEach
  void stop() {
    for (int number = 1; number <= REPLICAS; number++) {
      node.wake(number);
    }
    node.close();
  }

  private OpenVolume open(Duration timeout) throws Exception {
    OpenVolume volume =
        node.engine()
            .open(
                new OpenRequest(
                    "vol",
                    OneNode.SIZE,
                    "node",
                    node.replicas(),
                    node.register(),
                    new RecordingListener(),
                    new OpenOptions(Set.of(), false, timeout)));
    // Marks the region, so that the writes of the test cause no mark.
    io(volume).write(0, OneNode.filled(8192, 1));
    return volume;
  }

  private static DeviceIo io(OpenVolume volume) {
    return new DeviceIo(volume.device());
  }

  /** Issues some writes in one run. */
  private static List<CompletableFuture<Optional<StorageException>>> write(
      RelievedRuns runs, OpenVolume volume) {
    List<CompletableFuture<Optional<StorageException>>> written = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      written.add(new CompletableFuture<>());
    }
    runs.run(
        () -> {
          for (int i = 0; i < WRITES; i++) {
            CompletableFuture<Optional<StorageException>> one = written.get(i);
            volume
                .device()
                .write(
                    i * (long) LENGTH,
                    ByteBuffer.wrap(OneNode.filled(LENGTH, i + 2)),
                    IoFlags.NONE,
                    failure -> one.complete(Optional.ofNullable(failure)));
          }
        });
    return written;
  }

  private static void succeed(List<CompletableFuture<Optional<StorageException>>> written)
      throws Exception {
    for (CompletableFuture<Optional<StorageException>> one : written) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isEmpty();
    }
  }

  private List<Integer> writes() {
    List<Integer> counts = new ArrayList<>();
    for (int number = 1; number <= REPLICAS; number++) {
      counts.add(node.writes(number, LENGTH));
    }
    return counts;
  }

  @Test
  void callerWritesToAllReplicasItself() throws Exception {
    OpenVolume volume = open(LONG);
    RelievedRuns runs = new RelievedRuns();
    List<CompletableFuture<Optional<StorageException>>> written = write(runs, volume);
    runs.run(() -> assertThat(written).allMatch(CompletableFuture::isDone));
    runs.awaitIdle();
    succeed(written);
    assertThat(writes()).containsOnly(WRITES);
  }

  /** Returns the writes of each replica while a disk hangs, once another thread has continued. */
  private List<Integer> writtenWhileHanging(int number, RelievedRuns runs) throws Exception {
    OpenVolume volume = open(LONG);
    node.hang(number);
    List<CompletableFuture<Optional<StorageException>>> written = write(runs, volume);
    node.awaitHanging(number);
    runs.awaitRelief();
    runs.awaitIdle();
    List<Integer> counts = writes();
    node.wake(number);
    if (runs.getClass().equals(RelievedRuns.class)) {
      succeed(written);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      assertThat(writes()).as("each write once on each replica").containsOnly(WRITES);
    }
    return counts;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void otherReplicasGetEachWriteOnceWhileOneHangs(int number) throws Exception {
    List<Integer> counts = writtenWhileHanging(number, new RelievedRuns());
    for (int other = 1; other <= REPLICAS; other++) {
      assertThat(counts.get(other - 1))
          .as("replica %d", other)
          .isEqualTo(other == number ? 0 : WRITES);
    }
  }

  @Test
  void mutantThatNeverIssuesTheRestIsNoticed() throws Exception {
    RelievedRuns mutant =
        new RelievedRuns() {
          @Override
          boolean continues(IoThread.Remainder remainder) {
            return true;
          }
        };
    assertThat(writtenWhileHanging(1, mutant)).isNotEqualTo(List.of(0, WRITES, WRITES));
  }

  @Test
  void connectionIsServedWithoutTwoDisksThatHang() throws Exception {
    OpenVolume volume = open(SHORT);
    RelievedRuns runs = new RelievedRuns();
    node.hang(1);
    node.hang(2);
    succeed(write(runs, volume));
    succeed(write(runs, volume));
    assertThat(volume.replicas())
        .containsEntry("r-1", MemberMode.ERR)
        .containsEntry("r-2", MemberMode.ERR)
        .containsEntry("r-3", MemberMode.RW);
    assertThat(writes()).containsExactly(0, 0, 2 * WRITES);
    assertThat(io(volume).read(LENGTH, LENGTH)).isEqualTo(OneNode.filled(LENGTH, 3));
  }

  @Test
  void readIsAnsweredByAnotherReplica() throws Exception {
    OpenVolume volume = open(SHORT);
    RelievedRuns runs = new RelievedRuns();
    node.hang(1);
    ByteBuffer target = ByteBuffer.allocateDirect(8192);
    CompletableFuture<Optional<StorageException>> read = new CompletableFuture<>();
    runs.run(
        () ->
            volume
                .device()
                .read(0, target, failure -> read.complete(Optional.ofNullable(failure))));
    runs.awaitRelief();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(target.get(0)).isEqualTo((byte) 1);
    runs.awaitIdle();
  }
}
