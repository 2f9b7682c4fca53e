package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine that declares {@code SNAPSHOTS} supports snapshots, and other engines do not. */
abstract class SnapshotTests extends EngineTests {
  private static final Instant CREATED = Instant.parse("2026-11-21T08:00:00Z");

  SnapshotTests(EngineLab lab) {
    super(lab);
  }

  @BeforeEach
  final void checkDeclared() {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
  }

  private List<ReplicaLocation> someReplicas() throws Exception {
    return provisioned(has(EngineCapability.REPLICATED) ? 2 : 1);
  }

  private SnapshotVolume volume(List<ReplicaLocation> replicas) throws StorageException {
    return (SnapshotVolume) open(replicas);
  }

  private static SnapshotRequest named(String name) {
    return new SnapshotRequest(name, true, CREATED, Map.of("for", name));
  }

  private static byte[] read(SnapshotVolume volume, String snapshot) throws StorageException {
    BlockDevice device = volume.openSnapshot(snapshot);
    try {
      return new DeviceIo(device).read(0, 8192);
    } finally {
      device.close();
    }
  }

  @Test
  final void snapshotKeepsTheContentOfItsMoment() throws Exception {
    try (SnapshotVolume volume = volume(someReplicas())) {
      byte[] before = bytes(8192);
      io(volume).write(0, before);
      SnapshotInfo made = volume.createSnapshot(named("s1"));
      assertThat(made.name()).isEqualTo("s1");
      assertThat(made.userCreated()).as("the snapshot was created by a user").isTrue();
      assertThat(made.created()).isEqualTo(CREATED);
      assertThat(made.labels()).isEqualTo(Map.of("for", "s1"));
      assertThat(made.children()).containsExactly(SnapshotInfo.HEAD);
      byte[] after = bytes(8192);
      io(volume).write(0, after);
      assertContent(read(volume, "s1"), before);
      assertContent(io(volume).read(0, 8192), after);
    }
  }

  @Test
  final void snapshotOfTheSameNameIsMadeOnce() throws Exception {
    try (SnapshotVolume volume = volume(someReplicas())) {
      SnapshotInfo first = volume.createSnapshot(named("s1"));
      assertThat(volume.createSnapshot(named("s1"))).isEqualTo(first);
      assertThat(volume.snapshots()).hasSize(1);
    }
  }

  @Test
  final void snapshotsAreListedParentsFirst() throws Exception {
    try (SnapshotVolume volume = volume(someReplicas())) {
      for (String name : List.of("s3", "s1", "s2")) {
        io(volume).write(0, bytes(4096));
        volume.createSnapshot(named(name));
      }
      assertThat(volume.snapshots())
          .extracting(SnapshotInfo::name)
          .containsExactly("s3", "s1", "s2");
      assertThat(volume.snapshots())
          .extracting(SnapshotInfo::parent)
          .containsExactly("", "s3", "s1");
    }
  }

  @Test
  final void snapshotOutlivesCleanAndUncleanStops() throws Exception {
    List<ReplicaLocation> replicas = someReplicas();
    byte[] before = bytes(8192);
    try (SnapshotVolume volume = volume(replicas)) {
      io(volume).write(0, before);
      volume.createSnapshot(named("s1"));
      io(volume).write(0, bytes(8192));
    }
    assertThat(read(volume(replicas), "s1")).isEqualTo(before);
    if (has(EngineCapability.DURABLE)) {
      restartUncleanly();
      assertThat(read(volume(replicas), "s1")).isEqualTo(before);
    }
  }

  @Test
  final void revertBringsTheContentBack() throws Exception {
    List<ReplicaLocation> replicas = someReplicas();
    byte[] before = bytes(8192);
    try (SnapshotVolume volume = volume(replicas)) {
      io(volume).write(0, before);
      volume.createSnapshot(named("s1"));
      io(volume).write(0, bytes(8192));
      volume.createSnapshot(named("s2"));
      io(volume).write(0, bytes(8192));
      volume.revert("s1");
      assertContent(io(volume).read(0, 8192), before);
      assertThat(volume.snapshots()).extracting(SnapshotInfo::name).contains("s1", "s2");
      assertThat(failureOf(() -> volume.revert("none"))).isEqualTo(ErrorCode.NOT_FOUND);
    }
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(0, 8192), before);
    }
  }

  @Test
  final void deletionRemovesOneSnapshotAndKeepsTheOthers() throws Exception {
    List<ReplicaLocation> replicas = someReplicas();
    byte[] first = bytes(8192);
    byte[] last = bytes(8192);
    try (SnapshotVolume volume = volume(replicas)) {
      io(volume).write(0, first);
      volume.createSnapshot(named("s1"));
      io(volume).write(4096, bytes(4096));
      volume.createSnapshot(named("s2"));
      io(volume).write(0, last);
      volume.deleteSnapshot("s2");
      volume.deleteSnapshot("s2");
      volume.deleteSnapshot("none");
      assertThat(volume.snapshots())
          .filteredOn(snapshot -> !snapshot.removed())
          .extracting(SnapshotInfo::name)
          .containsExactly("s1");
      assertContent(read(volume, "s1"), first);
      assertContent(io(volume).read(0, 8192), last);
    }
    try (SnapshotVolume volume = volume(replicas)) {
      assertContent(read(volume, "s1"), first);
      assertContent(io(volume).read(0, 8192), last);
    }
  }

  /** The platform keeps a volume attached until a deleted snapshot below another one is gone. */
  @Test
  @Timeout(60)
  final void deletedSnapshotGoesAfterTheNextOne() throws Exception {
    List<ReplicaLocation> replicas = someReplicas();
    try (SnapshotVolume volume = volume(replicas)) {
      io(volume).write(0, bytes(8192));
      volume.createSnapshot(named("s1"));
      volume.deleteSnapshot("s1");
    }
    try (SnapshotVolume volume = volume(replicas)) {
      byte[] content = bytes(8192);
      io(volume).write(0, content);
      volume.createSnapshot(named("s2"));
      while (volume.snapshots().stream().anyMatch(snapshot -> snapshot.name().equals("s1"))) {
        volume.purge();
        TimeUnit.MILLISECONDS.sleep(5);
      }
      assertContent(read(volume, "s2"), content);
    }
  }

  @Test
  final void openSnapshotRefusesChanges() throws Exception {
    try (SnapshotVolume volume = volume(someReplicas())) {
      volume.createSnapshot(named("s1"));
      BlockDevice device = volume.openSnapshot("s1");
      assertThat(device.size()).isEqualTo(SIZE);
      assertThat(failureOf(() -> new DeviceIo(device).write(0, bytes(4096))))
          .isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(failureOf(() -> new DeviceIo(device).zero(0, 4096, IoFlags.NONE)))
          .isEqualTo(ErrorCode.UNSUPPORTED);
      device.close();
      assertThat(failureOf(() -> volume.openSnapshot("none"))).isEqualTo(ErrorCode.NOT_FOUND);
    }
  }

  @Test
  final void changesAreThoseBetweenTwoSnapshots() throws Exception {
    try (SnapshotVolume volume = volume(someReplicas())) {
      io(volume).write(0, bytes(8192));
      volume.createSnapshot(named("s1"));
      io(volume).write(1 << 20, bytes(4096));
      volume.createSnapshot(named("s2"));
      io(volume).write(2 << 20, bytes(4096));
      assertThat(changed(volume, "s1", "s2")).containsExactly((long) (1 << 20));
      assertThat(changed(volume, "s2", SnapshotInfo.HEAD)).containsExactly((long) (2 << 20));
      assertThat(changed(volume, "", "s1")).containsExactly(0L, 4096L);
      assertThat(failureOf(() -> changed(volume, "s2", "s1"))).isEqualTo(ErrorCode.INVALID);
    }
  }

  private static Set<Long> changed(SnapshotVolume volume, String older, String newer)
      throws StorageException {
    Set<Long> blocks = new TreeSet<>();
    volume.changes(
        older,
        newer,
        (offset, length, kind) -> {
          for (long at = offset; kind == ExtentKind.DATA && at < offset + length; at += 4096) {
            blocks.add(at);
          }
          return true;
        });
    return blocks;
  }
}
