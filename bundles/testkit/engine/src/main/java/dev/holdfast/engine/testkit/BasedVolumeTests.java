package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Volumes above a base, for engines that declare {@code BASES}. */
abstract class BasedVolumeTests extends BaseLab {
  private static final int MIB = 1 << 20;

  private final EngineLab lab;

  BasedVolumeTests(EngineLab lab) {
    super(lab);
    this.lab = lab;
  }

  private List<ReplicaLocation> based() throws Exception {
    return List.of(on(sealed(1), location(1)));
  }

  private static void snapshot(OpenVolume volume, String name) throws Exception {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  @Test
  final void volumeReadsAsItsBaseAndAsZeroesBehindIt() throws Exception {
    try (OpenVolume volume = open(based())) {
      check(io(volume), baseContent((int) SIZE));
    }
  }

  @Test
  final void changesStayAboveTheBase() throws Exception {
    BaseLocation base = sealed(1);
    List<ReplicaLocation> replicas = List.of(on(base, location(1)));
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(MIB);
    try (OpenVolume volume = open(replicas)) {
      // In the middle of blocks, across the border of data and a hole, and beyond the base.
      for (long at : new long[] {700, LENGTH - 5_000, BASE_SIZE - 3_001, SIZE - MIB}) {
        io(volume).write(at, other);
        System.arraycopy(other, 0, content, (int) at, MIB);
      }
      check(io(volume), content);
    }
    try (OpenVolume volume = open(replicas)) {
      check(io(volume), content);
    }
    try (BlockDevice device = bases().openBase(base)) {
      check(new DeviceIo(device), baseContent((int) BASE_SIZE));
    }
  }

  @Test
  final void trimsAndZeroesHideTheBase() throws Exception {
    List<ReplicaLocation> replicas = based();
    byte[] content = baseContent((int) SIZE);
    try (OpenVolume volume = open(replicas)) {
      io(volume).trim(0, LENGTH / 2);
      io(volume).zero(REGION + 100, LENGTH / 2, 0);
      io(volume).write(2 * REGION, bytes(LENGTH));
      io(volume).trim(2 * REGION, LENGTH);
      clear(content, 0, LENGTH / 2);
      clear(content, REGION + 100, LENGTH / 2);
      clear(content, 2 * REGION, LENGTH);
      check(io(volume), content);
      io(volume).flush();
    }
    restartIfDurable();
    try (OpenVolume volume = open(replicas)) {
      check(io(volume), content);
      io(volume).trim(0, LENGTH / 2);
      check(io(volume), content);
    }
  }

  private void restartIfDurable() throws Exception {
    if (has(EngineCapability.DURABLE)) {
      restartUncleanly();
    }
  }

  @Test
  final void volumeSurvivesAKill() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = based();
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(10_000);
    io(open(replicas)).write(4_000, other);
    System.arraycopy(other, 0, content, 4_000, other.length);
    restartUncleanly();
    try (OpenVolume volume = open(replicas)) {
      check(io(volume), content);
    }
  }

  @Test
  final void newReplicaStoresNothingOfItsBase() throws Exception {
    ReplicaLocation replica = based().get(0);
    assertThat(engine.inspectReplica(replica).orElseThrow().usedBytes())
        .as("used bytes of a new replica on a base")
        .isLessThan(LENGTH);
  }

  @Test
  final void volumesOnOneBaseDoNotSeeEachOther() throws Exception {
    BaseLocation base = sealed(1);
    ReplicaLocation here = on(base, location(1));
    ReplicaLocation there =
        on(base, new ReplicaLocation("twin", "twin-r-1", here.disk(), "twin-1", false));
    byte[] other = bytes(LENGTH);
    try (OpenVolume volume = open(List.of(here));
        OpenVolume twin =
            engine.open(
                new OpenRequest(
                    "twin",
                    SIZE,
                    "node-1",
                    List.of(there),
                    new InMemoryRegister(),
                    new RecordingListener()))) {
      io(volume).write(0, other);
      assertContent(io(twin).read(0, LENGTH), piece);
      io(twin).trim(REGION, LENGTH);
      assertContent(io(volume).read(REGION, LENGTH), piece);
      assertContent(io(volume).read(0, LENGTH), other);
    }
    engine.deleteReplica(here);
    assertThat(failureOf(() -> bases().deleteBase(base)))
        .as("deleting a base of which one of two replicas is left")
        .isEqualTo(ErrorCode.BUSY);
  }

  @Test
  final void baseIsNotASnapshot() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    try (SnapshotVolume volume = (SnapshotVolume) open(based())) {
      assertThat(volume.snapshots()).as("snapshots of a new volume on a base").isEmpty();
      snapshot(volume, "s1");
      assertThat(volume.snapshots())
          .singleElement()
          .satisfies(
              made -> {
                assertThat(made.parent()).as("parent of the oldest snapshot").isEmpty();
                assertThat(made.usedBytes()).as("used bytes").isLessThan(LENGTH);
              });
    }
  }

  @Test
  final void snapshotsAboveABaseAreKeptRevertedToAndCoalesced() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    List<ReplicaLocation> replicas = based();
    byte[] first = bytes(LENGTH);
    byte[] content = baseContent((int) SIZE);
    try (SnapshotVolume volume = (SnapshotVolume) open(replicas)) {
      io(volume).write(0, first);
      snapshot(volume, "s1");
      io(volume).trim(0, LENGTH);
      io(volume).trim(REGION, LENGTH);
      snapshot(volume, "s2");
      io(volume).write(2 * REGION, first);
      System.arraycopy(first, 0, content, 0, LENGTH);
      check(volume, "s1", content);
      clear(content, 0, LENGTH);
      clear(content, REGION, LENGTH);
      check(volume, "s2", content);
      volume.revert("s2");
      check(io(volume), content);
      volume.deleteSnapshot("s1");
      volume.deleteSnapshot("s2");
      volume.purge();
      check(io(volume), content);
    }
    try (OpenVolume volume = open(replicas)) {
      check(io(volume), content);
    }
  }

  private static void check(SnapshotVolume volume, String snapshot, byte[] content)
      throws Exception {
    try (BlockDevice device = volume.openSnapshot(snapshot)) {
      check(new DeviceIo(device), content);
    }
  }

  @Test
  final void changesSinceTheBaseDifferFromChangesSinceNothing() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    try (SnapshotVolume volume = (SnapshotVolume) open(based())) {
      assertThat(changed(volume, SnapshotInfo.BASE, SnapshotInfo.HEAD)).isEmpty();
      assertThat(changed(volume, "", SnapshotInfo.HEAD)).containsExactly(0, 16, 32, 39);
      io(volume).write(5L * MIB, bytes(MIB));
      io(volume).trim(REGION, LENGTH);
      snapshot(volume, "s1");
      io(volume).write(50L * MIB, bytes(MIB));
      // Zeroes over data of the base count as a change.
      assertThat(changed(volume, SnapshotInfo.BASE, "s1")).containsExactly(5, 16);
      assertThat(changed(volume, SnapshotInfo.BASE, SnapshotInfo.HEAD)).containsExactly(5, 16, 50);
      assertThat(changed(volume, "", "s1")).contains(0, 5, 32, 39).doesNotContain(50);
      assertThat(changed(volume, "s1", SnapshotInfo.HEAD)).containsExactly(50);
    }
  }

  @Test
  final void withoutABaseTheBaseIsNothing() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    try (SnapshotVolume volume = (SnapshotVolume) open(provisioned(1))) {
      io(volume).write(5L * MIB, bytes(MIB));
      assertThat(changed(volume, SnapshotInfo.BASE, SnapshotInfo.HEAD)).containsExactly(5);
    }
  }

  private static Set<Integer> changed(SnapshotVolume volume, String older, String newer)
      throws Exception {
    Set<Integer> changed = new TreeSet<>();
    volume.changes(
        older,
        newer,
        (offset, length, kind) -> {
          for (long at = offset; kind == ExtentKind.DATA && at < offset + length; at += 4096) {
            changed.add((int) (at / MIB));
          }
          return true;
        });
    return changed;
  }

  @Test
  final void grownVolumeKeepsItsBase() throws Exception {
    assumeTrue(has(EngineCapability.EXPANSION), "the engine does not declare EXPANSION");
    try (OpenVolume volume = open(based())) {
      ((ExpandableVolume) volume).expand(2 * SIZE);
      check(io(volume), baseContent((int) SIZE));
      assertContent(io(volume).read(SIZE, LENGTH), new byte[LENGTH]);
    }
  }

  @Test
  final void nextEngineContinuesAboveTheBase() throws Exception {
    assumeTrue(has(EngineCapability.HANDOVER), "the engine does not declare HANDOVER");
    assumeTrue(has(EngineCapability.DURABLE), "the base would be lost with the engine");
    List<ReplicaLocation> replicas = based();
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(LENGTH);
    OpenVolume before = open(replicas);
    io(before).write(100, other);
    System.arraycopy(other, 0, content, 100, LENGTH);
    Handover handover = ((HandoverVolume) before).handOver(false);
    EngineProvider next = lab.start();
    try (OpenVolume volume =
        ((HandoverEngine) next)
            .resume(
                new OpenRequest(
                    VOLUME, SIZE, "node-1", replicas, register, new RecordingListener()),
                handover)) {
      io(volume).trim(REGION, LENGTH);
      clear(content, REGION, LENGTH);
      check(io(volume), content);
    } finally {
      lab.stop(next);
    }
    try (OpenVolume volume = open(replicas)) {
      check(io(volume), content);
    }
  }
}
