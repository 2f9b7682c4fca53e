package dev.holdfast.clone.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Copies of volumes, made by the node's controllers with the sparse engine. */
@Tag("slow")
class CloneTest extends CloneLab {
  /** Returns the disk's content of a closed volume without snapshots. */
  private byte[] content(String name) throws Exception {
    Path replica = data.resolve("disk-1/replicas").resolve(name + "-r-0000000a");
    try (Stream<Path> files = Files.list(replica)) {
      return Files.readAllBytes(
          files
              .filter(file -> file.getFileName().toString().matches("volume-head-\\d+\\.img"))
              .findFirst()
              .orElseThrow());
    }
  }

  private void assertHolds(String name, long size, Map<Integer, Integer> filled) throws Exception {
    byte[] expected = new byte[(int) size];
    filled.forEach(
        (offset, fill) -> Arrays.fill(expected, offset, offset + BYTES, fill.byteValue()));
    assertThat(content(name)).isEqualTo(expected);
  }

  @Test
  void cloneHasTheContentOfItsSourceAndLeavesNoResource() throws Exception {
    write("from", 0, 7);
    write("from", 20 << 20, 8);
    make("copy", Quantity.parse("40Mi"), copyOf("from", ""));
    untilVolume("copy", v -> v.status().cloneStatus().nodeID().equals(NODE));
    Volume copy = store.get(Volume.KIND, "copy").orElseThrow();
    String snapshot = CloneSnapshots.nameOf(store.get(Volume.KIND, "from").orElseThrow(), copy);
    Awaiting.until(store, Snapshot.KIND, snapshot, s -> s.status().readyToUse());
    write("from", 0, 9);
    open("copy", false);
    Volume copied = until("copy", CloneState.COMPLETED);
    assertThat(copied.awaitsContent()).isFalse();
    assertThat(copied.status().cloneStatus().attempts()).isEqualTo(1);
    Awaiting.untilGone(store, Snapshot.KIND, snapshot);
    assertHolds("copy", 40 << 20, Map.of(0, 7, 20 << 20, 8));
  }

  @Test
  void aSnapshotThatIsCopiedStays() throws Exception {
    write("from", 0, 7);
    store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume("from")));
    Awaiting.until(store, Snapshot.KIND, "mine", s -> s.status().readyToUse());
    write("from", 0, 9);
    make("copy", SIZE, copyOf("from", "mine"));
    open("copy", false);
    until("copy", CloneState.COMPLETED);
    assertHolds("copy", SIZE.bytes(), Map.of(0, 7));
    assertThat(store.get(Snapshot.KIND, "mine").orElseThrow().isBeingDeleted()).isFalse();
    assertThat(store.list(Snapshot.KIND, LabelSelector.ALL).items()).hasSize(1);
  }

  @Test
  void bytesOfAnEarlierAttemptAreZeroed() throws Exception {
    write("from", 4 << 20, 7);
    make("copy", SIZE, v -> v);
    open("copy", true);
    write("copy", 0, 1);
    write("copy", 30 << 20, 2);
    store.delete(Engine.KIND, CloneLab.engineOf("copy"), "");
    Awaiting.untilGone(store, Engine.KIND, CloneLab.engineOf("copy"));
    Volume plain = store.get(Volume.KIND, "copy").orElseThrow();
    store.delete(Volume.KIND, "copy", "");
    store.create(Volume.of("copy", copyOf("from", "").apply(plain.spec())));
    open("copy", false);
    until("copy", CloneState.COMPLETED);
    assertHolds("copy", SIZE.bytes(), Map.of(4 << 20, 7));
  }

  @Test
  void copyingResumesAfterTheProcessDied() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, copyOf("from", ""));
    untilVolume("copy", v -> v.status().cloneStatus().nodeID().equals(NODE));
    node.close();
    live();
    open("copy", false);
    Volume copied = until("copy", CloneState.COMPLETED);
    assertThat(copied.status().cloneStatus().attempts()).isEqualTo(1);
    assertHolds("copy", SIZE.bytes(), Map.of(0, 7));
  }

  @Test
  void aCopyIsUsedWhileItIsCopiedAndWaitsForASourceThatIsAway() throws Exception {
    write("from", 0, 7);
    write("from", 20 << 20, 8);
    make("copy", SIZE, copyOf("from", ""));
    untilVolume("copy", Volume::isUsableWhileCopied);
    close("from");
    open("copy", true);
    CompletableFuture<Integer> read = firstByte("copy");
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(
            () -> {
              try {
                write("copy", 21 << 20, 9);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    assertThat(store.get(Volume.KIND, "copy").orElseThrow().isUsableWhileCopied()).isTrue();
    assertThat(read).isNotDone();
    assertThat(written).isNotDone();

    open("from", true);
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(7);
    written.get(30, TimeUnit.SECONDS);
    until("copy", CloneState.COMPLETED);
    write("copy", 2 << 20, 10);
    close("copy");
    assertHolds("copy", SIZE.bytes(), Map.of(0, 7, 2 << 20, 10, 20 << 20, 8, 21 << 20, 9));
  }

  @Test
  void resourceThatACloneNeedsOutlivesItsDeletion() throws Exception {
    write("from", 0, 7);
    store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume("from")));
    Awaiting.until(store, Snapshot.KIND, "mine", s -> s.status().readyToUse());
    make("copy", SIZE, copyOf("from", "mine"));
    untilVolume("copy", Volume::isUsableWhileCopied);
    store.delete(Snapshot.KIND, "mine", "");
    write("from", 0, 9);
    open("copy", true);
    assertThat(firstByte("copy").get(30, TimeUnit.SECONDS)).isEqualTo(7);
    until("copy", CloneState.COMPLETED);
    // The snapshot is abandoned. It is removed once the live content above it has its own copy of
    // the needed data.
    Awaiting.untilGoneOr(store, Snapshot.KIND, "mine", s -> s.status().markRemoved());
    Awaiting.until(
        store, Volume.KIND, "from", v -> !v.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER));
  }

  @Test
  void aSnapshotOfACopyWaitsUntilThatIsWhole() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, copyOf("from", ""));
    untilVolume("copy", Volume::isUsableWhileCopied);
    close("from");
    open("copy", true);
    store.create(Snapshot.of("early", SnapshotSpec.EMPTY.withVolume("copy")));
    Awaiting.until(
        store,
        Snapshot.KIND,
        "early",
        s -> s.status().message().equals("waits until volume copy is copied whole"));
    assertThat(store.get(Snapshot.KIND, "early").orElseThrow().status().readyToUse()).isFalse();
    open("from", true);
    Awaiting.until(store, Snapshot.KIND, "early", s -> s.status().readyToUse());
    assertThat(store.get(Volume.KIND, "copy").orElseThrow().awaitsContent()).isFalse();
  }

  @Test
  void missingSourceIsReportedAndRetriedLater() throws Exception {
    make("copy", SIZE, copyOf("missing", ""));
    Volume failed = until("copy", CloneState.FAILED);
    assertThat(failed.status().cloneStatus().message()).isEqualTo("volume missing does not exist");
    assertThat(failed.status().cloneStatus().nextAttemptAt()).isPresent();
    assertThat(failed.awaitsContent()).isTrue();
  }

  @Test
  void cloneThatIsTooSmallReportsTheNeededSize() throws Exception {
    make("copy", Quantity.parse("16Mi"), copyOf("from", ""));
    assertThat(until("copy", CloneState.FAILED).status().cloneStatus().message())
        .contains("has 32Mi, volume copy only 16Mi: raise its spec.size");
  }

  @Test
  void aCopyThatIsGivenUpLeavesNoSnapshot() throws Exception {
    make("copy", SIZE, copyOf("from", ""));
    untilVolume("copy", v -> v.status().cloneStatus().nodeID().equals(NODE));
    List<Snapshot> taken = store.list(Snapshot.KIND, LabelSelector.ALL).items();
    assertThat(taken).hasSize(1);
    store.delete(Volume.KIND, "copy", "");
    Awaiting.untilGone(store, Snapshot.KIND, taken.get(0).name());
  }

  @Test
  void eachFailureDoublesThePauseUpToTenMinutes() {
    Instant now = Instant.EPOCH;
    CloneStatus status = CloneStatus.EMPTY;
    assertThat(CloneStatuses.failed(status.withAttempts(1), "x", now).nextAttemptAt())
        .contains(now.plusSeconds(10));
    assertThat(CloneStatuses.failed(status.withAttempts(3), "x", now).nextAttemptAt())
        .contains(now.plusSeconds(40));
    assertThat(CloneStatuses.failed(status.withAttempts(900), "x", now).nextAttemptAt())
        .contains(now.plusSeconds(600));
  }
}
