package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
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

/** An engine that declares {@code TRIM_RECLAIM} removes snapshots for trims, if that is enabled. */
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
  final void trimKeepsSnapshotsUnlessReclaimIsEnabled() throws Exception {
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
      assertContent(new DeviceIo(snapshot).read(0, LENGTH), content);
      snapshot.close();
    }
  }

  @Test
  final void trimFreesSpaceThatOnlySnapshotsUse() throws Exception {
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
      assertThat(kept(volume)).as("snapshots that the trim left").isEmpty();
      assertThat(used(volume)).isEqualTo(LENGTH);
      assertContent(io(volume).read(0, LENGTH), new byte[LENGTH]);
      assertContent(io(volume).read(LENGTH, LENGTH), rest);
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
      assertContent(io(volume).read(0, LENGTH), new byte[LENGTH]);
      assertContent(new DeviceIo(read).read(0, LENGTH), content);
      read.close();
      io(volume).trim(0, LENGTH);
      assertThat(kept(volume)).as("snapshots that the trim left").isEmpty();
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
      assertContent(io(volume).read(0, LENGTH), content);
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
        assertThat(kept(volume)).as("snapshots that the trim left").isEmpty();
        assertContent(io(volume).read(0, LENGTH), new byte[LENGTH]);
      }
    }
  }
}
