package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damaged snapshots are detected, and repaired if the correct content is known. */
abstract class ScrubTests extends EngineTests {
  private static final ScrubOptions SLOW = new ScrubOptions(1);
  private static final int LENGTH = 40 << 20;
  private static final long ROTTEN = 17_000_000;

  private final EngineLab.Replicated lab;
  private final byte[] content = bytes(LENGTH);

  ScrubTests(EngineLab.Replicated lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void onlyIfDeclared() {
    assumeTrue(has(EngineCapability.SCRUBBING), "the engine does not declare SCRUBBING");
  }

  private OpenVolume opened(List<ReplicaLocation> replicas) throws StorageException {
    OpenVolume volume = open(replicas);
    io(volume).write(0, content);
    take(volume, "s1");
    io(volume).write(4096, bytes(8192));
    return volume;
  }

  private static void take(OpenVolume volume, String name) throws StorageException {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  private static Scrub begin(OpenVolume volume, String snapshot, ScrubOptions options)
      throws StorageException {
    return ((ScrubbableVolume) volume).scrub(snapshot, options);
  }

  private static ScrubResult scrub(OpenVolume volume, String snapshot) throws Exception {
    while (true) {
      Scrub scrub = begin(volume, snapshot, ScrubOptions.UNLIMITED);
      try {
        ScrubResult result = scrub.done().toCompletableFuture().get();
        assertThat(scrub.doneBytes()).isEqualTo(scrub.totalBytes()).isEqualTo(SIZE);
        return result;
      } catch (ExecutionException e) {
        // Each replica may still coalesce removed snapshots below.
        if (!(e.getCause() instanceof StorageException busy) || busy.code() != ErrorCode.BUSY) {
          throw e;
        }
      }
    }
  }

  private static void checkWhole(ScrubResult result) {
    assertThat(result.repaired()).as("repaired replicas").isEmpty();
    assertThat(result.damaged()).as("damaged ranges").isEmpty();
    assertThat(result.checksum()).as("checksum").isNotEmpty();
  }

  private static byte[] read(OpenVolume volume, String snapshot) throws Exception {
    try (var device = ((SnapshotVolume) volume).openSnapshot(snapshot)) {
      return new DeviceIo(device).read(0, LENGTH);
    }
  }

  private void checkAlone(ReplicaLocation replica) throws Exception {
    try (OpenVolume volume = open(List.of(replica))) {
      assertContent(read(volume, "s1"), content);
    }
  }

  @Test
  final void checksumOfAWholeSnapshotIsKept() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    ScrubResult first;
    try (OpenVolume volume = opened(replicas)) {
      first = scrub(volume, "s1");
      checkWhole(first);
      assertThat(((SnapshotVolume) volume).snapshots())
          .extracting(SnapshotInfo::checksum)
          .containsExactly(first.checksum());
    }
    try (OpenVolume volume = open(replicas)) {
      assertThat(scrub(volume, "s1")).isEqualTo(first);
    }
  }

  @Test
  final void damagedBlockIsRepairedByItsChecksumWhileTheVolumeIsUsed() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    try (OpenVolume volume = opened(replicas)) {
      checkWhole(scrub(volume, "s1"));
      lab.rot(replicas.get(1), "s1", ROTTEN);
      lab.rot(replicas.get(1), "s1", ROTTEN + 4096);
      AtomicBoolean over = new AtomicBoolean();
      CountDownLatch warm = new CountDownLatch(100);
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try {
        Future<?> load =
            thread.submit(
                () -> {
                  write(volume, over, warm);
                  return null;
                });
        warm.await();
        ScrubResult result = scrub(volume, "s1");
        over.set(true);
        load.get();
        assertThat(result.repaired()).containsExactly(replicas.get(1).replica());
        assertThat(result.repairedBytes()).isEqualTo(8192);
        assertThat(result.damaged()).as("damaged ranges").isEmpty();
      } finally {
        over.set(true);
        thread.shutdown();
      }
      checkWhole(scrub(volume, "s1"));
    }
    checkAlone(replicas.get(1));
  }

  private void write(OpenVolume volume, AtomicBoolean over, CountDownLatch progress)
      throws Exception {
    byte[] block = new byte[6000];
    for (int i = 0; !over.get(); i++) {
      block[0] = (byte) i;
      io(volume).write((i * 7919L * 4096) % (SIZE - block.length), block);
      assertContent(
          io(volume).read((i * 7919L * 4096) % (SIZE - block.length), block.length), block);
      progress.countDown();
    }
  }

  @Test
  final void replicaThatDiffersIsOutvotedWhereNoChecksumWasKept() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    try (OpenVolume volume = opened(replicas)) {
      lab.rot(replicas.get(0), "s1", ROTTEN);
      ScrubResult result = scrub(volume, "s1");
      assertThat(result.repaired()).containsExactly(replicas.get(0).replica());
      assertThat(result.repairedBytes()).isEqualTo(4096);
      assertThat(result.checksum()).as("checksum").isNotEmpty();
      assertContent(read(volume, "s1"), content);
      checkWhole(scrub(volume, "s1"));
    }
  }

  @Test
  final void differingReplicasWithoutAChecksumAreNotRepaired() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    try (OpenVolume volume = opened(replicas)) {
      lab.rot(replicas.get(0), "s1", ROTTEN);
      for (int i = 0; i < 2; i++) {
        ScrubResult result = scrub(volume, "s1");
        assertThat(result.repaired()).as("repaired replicas").isEmpty();
        assertThat(result.checksum()).as("checksum").isEmpty();
        assertThat(result.damaged()).hasSize(1);
        DamagedRange damage = result.damaged().get(0);
        assertThat(ROTTEN).isBetween(damage.offset(), damage.offset() + damage.length() - 1);
        assertThat(damage.length()).isEqualTo(4096);
        assertThat(damage.replicas())
            .containsExactlyInAnyOrder(replicas.get(0).replica(), replicas.get(1).replica());
      }
    }
    checkAlone(replicas.get(1));
  }

  @Test
  final void rotThatIsEverywhereIsFoundByTheChecksumAndLeft() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    try (OpenVolume volume = opened(replicas)) {
      checkWhole(scrub(volume, "s1"));
      lab.rot(replicas.get(0), "s1", ROTTEN);
      ScrubResult result = scrub(volume, "s1");
      assertThat(result.repaired()).as("repaired replicas").isEmpty();
      assertThat(result.damaged()).as("damaged ranges").isNotEmpty();
      assertThat(result.checksum()).as("checksum").isEmpty();
      lab.rot(replicas.get(0), "s1", ROTTEN);
      checkWhole(scrub(volume, "s1"));
    }
  }

  @Test
  final void coalescingVoidsTheChecksum() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    try (OpenVolume volume = opened(replicas)) {
      take(volume, "s2");
      checkWhole(scrub(volume, "s1"));
      ScrubResult before = scrub(volume, "s2");
      checkWhole(before);
      ((SnapshotVolume) volume).deleteSnapshot("s1");
      checkWhole(scrub(volume, "s2"));
    }
    try (OpenVolume volume = open(replicas)) {
      checkWhole(scrub(volume, "s2"));
    }
  }

  @Test
  final void scrubbingIsBrokenOff() throws Exception {
    try (OpenVolume volume = opened(provisioned(2))) {
      Scrub slow = begin(volume, "s1", SLOW);
      assertThat(begin(volume, "s1", SLOW)).isSameAs(slow);
      take(volume, "s2");
      assertThat(failureOf(() -> begin(volume, "s2", SLOW))).isEqualTo(ErrorCode.BUSY);
      slow.cancel();
      assertThat(outcome(slow)).isEqualTo(ErrorCode.BUSY);
      checkWhole(scrub(volume, "s1"));
    }
  }

  private static ErrorCode outcome(Scrub scrub) throws Exception {
    try {
      scrub.done().toCompletableFuture().get();
    } catch (ExecutionException e) {
      return ((StorageException) e.getCause()).code();
    }
    throw new AssertionError("it succeeded");
  }

  @Test
  final void snapshotThatIsGivenUpDuringAScrubIsNotTouchedAnyMore() throws Exception {
    try (OpenVolume volume = opened(provisioned(2))) {
      Scrub slow = begin(volume, "s1", SLOW);
      ((SnapshotVolume) volume).deleteSnapshot("s1");
      slow.change(ScrubOptions.UNLIMITED);
      assertThat(outcome(slow)).isEqualTo(ErrorCode.BUSY);
      assertThat(failureOf(() -> begin(volume, "s1", SLOW))).isEqualTo(ErrorCode.NOT_FOUND);
      assertThat(failureOf(() -> begin(volume, "none", SLOW))).isEqualTo(ErrorCode.NOT_FOUND);
    }
  }

  @Test
  final void scrubbingEndsWithTheVolume() throws Exception {
    OpenVolume volume = opened(provisioned(2));
    Scrub slow = begin(volume, "s1", SLOW);
    volume.close();
    assertThat(outcome(slow)).isEqualTo(ErrorCode.BUSY);
  }
}
