package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An engine that declares {@code LINKED_CLONE} creates volumes that share content with another
 * volume's snapshot, and changes of one never affect the other.
 */
abstract class LinkedCloneTests extends EngineTests {
  private static final String SOURCE = "source";
  private static final int LENGTH = 1 << 20;

  private final EngineLab lab;
  private final InMemoryRegister sourceRegister = new InMemoryRegister();
  private List<ReplicaLocation> sources;
  private SnapshotVolume source;
  private byte[] early;
  private byte[] late;

  LinkedCloneTests(EngineLab lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void openSource() throws Exception {
    assumeTrue(has(EngineCapability.LINKED_CLONE), "the engine does not declare LINKED_CLONE");
    assumeTrue(isHere(), "the replicas are on another node, whose engine shares them");
    sources = new ArrayList<>();
    for (int i = 1; i <= count(); i++) {
      ReplicaLocation next = location(i);
      sources.add(new ReplicaLocation(SOURCE, SOURCE + "-" + i, next.disk(), "source-" + i, false));
      engine.provisionReplica(sources.get(i - 1), SIZE);
    }
    source = openedSource();
    early = bytes(LENGTH);
    late = bytes(LENGTH);
    io(source).write(0, early);
    snapshot(source, "s1");
    io(source).write(LENGTH, late);
    snapshot(source, "s2");
    io(source).write(0, bytes(LENGTH));
  }

  private boolean isHere() throws Exception {
    boolean here = true;
    if (lab instanceof EngineLab.Replicated replicated) {
      for (int i = 1; i <= count(); i++) {
        engine.provisionReplica(location(i), SIZE);
        here &= replicated.placed(location(i)).equals(location(i));
        engine.deleteReplica(location(i));
      }
    }
    return here;
  }

  private int count() {
    return has(EngineCapability.REPLICATED) ? 2 : 1;
  }

  private SnapshotVolume openedSource() throws StorageException {
    return (SnapshotVolume)
        engine.open(
            new OpenRequest(
                SOURCE, SIZE, "node-1", sources, sourceRegister, new RecordingListener()));
  }

  private static void snapshot(SnapshotVolume volume, String name) throws StorageException {
    volume.createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  private List<ReplicaLocation> linked(String snapshot) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (int i = 1; i <= count(); i++) {
      replicas.add(location(i));
      link(i, snapshot);
    }
    return replicas;
  }

  private void link(int number, String snapshot) throws Exception {
    ((LinkedCloneEngine) engine)
        .cloneReplica(
            location(number),
            SIZE,
            new SnapshotContent(sources.get(number - 1), snapshot, "of-" + snapshot));
  }

  @Test
  final void linkedVolumeReadsAsTheSnapshotOnAllReplicas() throws Exception {
    List<ReplicaLocation> replicas = linked("s2");
    try (OpenVolume volume = open(replicas)) {
      for (int i = 0; i < 3; i++) {
        assertContent(io(volume).read(0, LENGTH), early);
        assertContent(io(volume).read(LENGTH, LENGTH), late);
        assertThat(io(volume).read(2 * LENGTH, LENGTH)).containsOnly(0);
      }
    }
  }

  @Test
  final void linkedVolumeHasNoneOfTheSourcesSnapshots() throws Exception {
    try (SnapshotVolume volume = (SnapshotVolume) open(linked("s2"))) {
      assertThat(volume.snapshots()).allMatch(SnapshotInfo::removed);
      snapshot(volume, "s2");
      assertThat(volume.snapshots()).anyMatch(one -> one.name().equals("s2") && !one.removed());
    }
  }

  @Test
  final void changesOfOneAreNotSeenInTheOther() throws Exception {
    byte[] before = io(source).read(0, 2 * LENGTH);
    try (OpenVolume volume = open(linked("s2"))) {
      byte[] other = bytes(4096);
      io(volume).write(8192, other);
      io(volume).trim(LENGTH, LENGTH / 2);
      io(source).write(LENGTH + LENGTH / 2, bytes(LENGTH / 2));
      io(source).trim(0, 16384);
      assertContent(io(volume).read(8192, 4096), other);
      assertContent(io(volume).read(0, 8192), part(early, 0, 8192));
      assertThat(io(volume).read(LENGTH, LENGTH / 2)).containsOnly(0);
      assertContent(
          io(volume).read(LENGTH + LENGTH / 2, LENGTH / 2), part(late, LENGTH / 2, LENGTH / 2));
      assertContent(io(source).read(16384, LENGTH), part(before, 16384, LENGTH));
    }
  }

  private static byte[] part(byte[] whole, int from, int length) {
    return Arrays.copyOfRange(whole, from, from + length);
  }

  @Test
  final void snapshotsOfTheSourceCanGo() throws Exception {
    List<ReplicaLocation> replicas = linked("s2");
    source.deleteSnapshot("s1");
    source.deleteSnapshot("s2");
    source.purge();
    io(source).write(0, bytes(2 * LENGTH));
    source.close();
    source = openedSource();
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(0, LENGTH), early);
      assertContent(io(volume).read(LENGTH, LENGTH), late);
    }
  }

  /** The platform keeps a volume attached while the engine has work for a removed snapshot. */
  @Test
  @Timeout(60)
  final void dataOfARemovedSnapshotStaysWhileALinkedVolumeSharesIt() throws Exception {
    List<ReplicaLocation> replicas = linked("s1");
    source.deleteSnapshot("s1");
    purgeUntil(snapshot -> !hasWork(snapshot));
    for (ReplicaLocation replica : replicas) {
      engine.deleteReplica(replica);
    }
    purgeUntil(snapshot -> !snapshot.name().equals("s1"));
  }

  @Test
  @Timeout(60)
  final void nameOfARemovedSnapshotIsRefusedWhileAReplicaHasItsData() throws Exception {
    link(count(), "s1");
    source.deleteSnapshot("s1");
    purgeUntil(snapshot -> !hasWork(snapshot));
    byte[] now = bytes(LENGTH);
    io(source).write(0, now);
    try {
      snapshot(source, "s1");
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      engine.deleteReplica(location(count()));
      takeWhenFree("s1");
    }
    source.close();
    sources = sources.subList(count() - 1, count());
    source = openedSource();
    BlockDevice kept = source.openSnapshot("s1");
    try {
      assertContent(new DeviceIo(kept).read(0, LENGTH), now);
    } finally {
      kept.close();
    }
  }

  private void takeWhenFree(String name) throws Exception {
    boolean taken = false;
    while (!taken) {
      source.purge();
      TimeUnit.MILLISECONDS.sleep(5);
      try {
        snapshot(source, name);
        taken = true;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      }
    }
  }

  private static boolean hasWork(SnapshotInfo snapshot) {
    return snapshot.removed()
        && !snapshot.shared()
        && snapshot.children().size() == 1
        && !snapshot.children().contains(SnapshotInfo.HEAD);
  }

  private void purgeUntil(Predicate<SnapshotInfo> rule) throws Exception {
    while (!source.snapshots().stream().allMatch(rule)) {
      source.purge();
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  final void linkedVolumeOutlivesItsSource() throws Exception {
    List<ReplicaLocation> replicas = linked("s1");
    source.close();
    for (ReplicaLocation replica : sources) {
      engine.deleteReplica(replica);
    }
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(0, LENGTH), early);
      assertThat(io(volume).read(LENGTH, LENGTH)).containsOnly(0);
    }
  }

  @Test
  final void sourceOutlivesTheLinkedVolume() throws Exception {
    for (ReplicaLocation replica : linked("s2")) {
      engine.deleteReplica(replica);
    }
    byte[] content = new DeviceIo(source.openSnapshot("s2")).read(0, LENGTH);
    assertThat(content).isEqualTo(early);
  }

  @Test
  final void linkedVolumeSurvivesAKill() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = linked("s2");
    byte[] other = bytes(4096);
    io(open(replicas)).write(4096, other);
    restartUncleanly();
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(0, 4096), part(early, 0, 4096));
      assertContent(io(volume).read(4096, 4096), other);
    }
  }

  @Test
  final void linkingAgainKeepsTheData() throws Exception {
    List<ReplicaLocation> replicas = linked("s2");
    byte[] other = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(4096, other);
    }
    linked("s2");
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(4096, 4096), other);
    }
  }

  @Test
  final void replicasOfDifferentContentsAreRefused() throws Exception {
    assumeTrue(has(EngineCapability.REPLICATED), "the engine does not declare REPLICATED");
    engine.provisionReplica(location(1), SIZE);
    link(2, "s2");
    assertThat(failureOf(() -> open(List.of(location(1), location(2)))))
        .isEqualTo(ErrorCode.INVALID);
  }

  @Test
  final void failedLinkedCloneLeavesNoReplica() throws Exception {
    assertThat(failureOf(() -> link(1, "s3"))).isEqualTo(ErrorCode.NOT_FOUND);
    SnapshotContent content = new SnapshotContent(sources.get(0), "s2", "of-s2");
    assertThat(
            failureOf(
                () -> ((LinkedCloneEngine) engine).cloneReplica(location(1), SIZE / 2, content)))
        .isEqualTo(ErrorCode.INVALID);
    source.close();
    assertThat(failureOf(() -> link(1, "s2"))).isEqualTo(ErrorCode.BUSY);
    assertThat(engine.inspectReplica(location(1))).as("a clone that was refused").isEmpty();
  }

  @Test
  final void replicaOfAnotherContentIsLeftAsItIs() throws Exception {
    link(1, "s1");
    assertThat(failureOf(() -> link(1, "s2"))).isEqualTo(ErrorCode.INVALID);
    link(1, "s1");
  }
}
