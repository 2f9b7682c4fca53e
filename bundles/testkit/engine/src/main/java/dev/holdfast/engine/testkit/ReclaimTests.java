package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.ReclaimingVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An engine that declares {@code TRIM_RECLAIM} gives snapshots up for trims, when it is told to.
 */
abstract class ReclaimTests extends EngineTests {
  private static final int LENGTH = 1 << 20;

  ReclaimTests(EngineLab lab) {
    super(lab);
  }

  @BeforeEach
  final void checkDeclared() {
    assumeTrue(has(EngineCapability.TRIM_RECLAIM), "the engine does not declare TRIM_RECLAIM");
  }

  private ReclaimingVolume volume() throws Exception {
    return (ReclaimingVolume) open(provisioned(has(EngineCapability.REPLICATED) ? 2 : 1));
  }

  private static void snapshot(ReclaimingVolume volume, String name) throws StorageException {
    volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  private static List<String> kept(ReclaimingVolume volume) throws StorageException {
    return volume.snapshots().stream()
        .filter(snapshot -> !snapshot.removed())
        .map(SnapshotInfo::name)
        .toList();
  }

  private static long used(ReclaimingVolume volume) throws StorageException {
    return volume.snapshots().stream().mapToLong(SnapshotInfo::usedBytes).sum();
  }

  @Test
  final void trimLeavesSnapshotsAloneUnlessItIsToldTo() throws Exception {
    try (ReclaimingVolume volume = volume()) {
      byte[] content = bytes(LENGTH);
      io(volume).write(0, content);
      snapshot(volume, "s1");
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).containsExactly("s1");
      volume.trimRemovesSnapshots(true);
      volume.trimRemovesSnapshots(false);
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).containsExactly("s1");
      BlockDevice snapshot = volume.openSnapshot("s1");
      assertThat(new DeviceIo(snapshot).read(0, LENGTH)).isEqualTo(content);
      snapshot.close();
    }
  }

  @Test
  final void trimFreesWhatSnapshotsAloneHold() throws Exception {
    try (ReclaimingVolume volume = volume()) {
      volume.trimRemovesSnapshots(true);
      byte[] rest = bytes(LENGTH);
      io(volume).write(LENGTH, rest);
      for (String name : List.of("s1", "s2", "s3")) {
        io(volume).write(0, bytes(LENGTH));
        snapshot(volume, name);
      }
      assertThat(used(volume)).isEqualTo(4L * LENGTH);
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).isEmpty();
      assertThat(used(volume)).isEqualTo(LENGTH);
      assertThat(io(volume).read(0, LENGTH)).isEqualTo(new byte[LENGTH]);
      assertThat(io(volume).read(LENGTH, LENGTH)).isEqualTo(rest);
    }
  }

  @Test
  final void trimStopsAtASnapshotThatIsRead() throws Exception {
    try (ReclaimingVolume volume = volume()) {
      volume.trimRemovesSnapshots(true);
      byte[] content = bytes(LENGTH);
      io(volume).write(0, content);
      snapshot(volume, "below");
      snapshot(volume, "read");
      io(volume).write(0, bytes(LENGTH));
      snapshot(volume, "above");
      BlockDevice read = volume.openSnapshot("read");
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).containsExactly("below", "read");
      assertThat(io(volume).read(0, LENGTH)).isEqualTo(new byte[LENGTH]);
      assertThat(new DeviceIo(read).read(0, LENGTH)).isEqualTo(content);
      read.close();
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).isEmpty();
    }
  }

  @Test
  final void trimStopsAtAnotherBranch() throws Exception {
    try (ReclaimingVolume volume = volume()) {
      volume.trimRemovesSnapshots(true);
      byte[] content = bytes(LENGTH);
      io(volume).write(0, content);
      snapshot(volume, "common");
      snapshot(volume, "branch");
      volume.revert("common");
      snapshot(volume, "mine");
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).containsExactlyInAnyOrder("common", "branch");
      volume.revert("branch");
      assertThat(io(volume).read(0, LENGTH)).isEqualTo(content);
    }
  }

  @Test
  final void snapshotThatCameLaterIsGivenUpByTheNextTrim() throws Exception {
    try (ReclaimingVolume volume = volume()) {
      volume.trimRemovesSnapshots(true);
      io(volume).trim(0, LENGTH);
      for (String name : List.of("s1", "s2")) {
        io(volume).write(0, bytes(LENGTH));
        snapshot(volume, name);
        io(volume).trim(0, LENGTH);
        assertThat(kept(volume)).isEmpty();
        assertThat(io(volume).read(0, LENGTH)).isEqualTo(new byte[LENGTH]);
      }
    }
  }
}
