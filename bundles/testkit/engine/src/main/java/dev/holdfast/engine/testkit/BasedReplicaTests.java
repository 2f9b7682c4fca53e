package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Several replicas of one volume on copies of one base. */
abstract class BasedReplicaTests extends BaseLab {
  private final EngineLab.Replicated lab;

  BasedReplicaTests(EngineLab.Replicated lab) {
    super(lab);
    this.lab = lab;
  }

  private ReplicaLocation based(int disk) throws Exception {
    return on(sealed(disk), location(disk));
  }

  private static void snapshot(OpenVolume volume, String name) throws Exception {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  private Rebuild rebuild(OpenVolume volume, ReplicaLocation target) throws Exception {
    Rebuild rebuild =
        ((RebuildableVolume) volume).rebuild(lab.placed(target), RebuildOptions.UNLIMITED);
    rebuild.done().toCompletableFuture().get();
    return rebuild;
  }

  @Test
  final void replicasOnDifferentBasesAreRefused() throws Exception {
    ReplicaLocation one = based(1);
    ReplicaLocation other = on(sealed(base(2, "other")), location(2));
    assertThat(failureOf(() -> open(List.of(one, other)))).isEqualTo(ErrorCode.INVALID);
    engine.deleteReplica(other);
    engine.provisionReplica(location(2), SIZE);
    assertThat(failureOf(() -> open(List.of(one, location(2)))))
        .as("one replica on a base and one on none")
        .isEqualTo(ErrorCode.INVALID);
    try (OpenVolume volume = open(List.of(one))) {
      check(io(volume), baseContent((int) SIZE));
    }
  }

  @Test
  final void rebuiltReplicaIsWholeAndNothingOfTheBaseTravels() throws Exception {
    assumeTrue(has(EngineCapability.REBUILD), "the engine does not declare REBUILD");
    ReplicaLocation member = based(1);
    ReplicaLocation target = based(2);
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(10_000);
    try (OpenVolume volume = open(List.of(member))) {
      io(volume).write(3_000, other);
      io(volume).trim(REGION, LENGTH / 4);
      System.arraycopy(other, 0, content, 3_000, other.length);
      clear(content, REGION, LENGTH / 4);
      Rebuild rebuild = rebuild(volume, target);
      assertThat(rebuild.totalBytes())
          .as("bytes copied for a replica on a base of %d bytes of data", 4 * LENGTH)
          .isLessThan(LENGTH);
      io(volume).write(2 * REGION, other);
      System.arraycopy(other, 0, content, (int) (2 * REGION), other.length);
      check(io(volume), content);
    }
    try (OpenVolume volume = open(List.of(target))) {
      check(io(volume), content);
    }
  }

  @Test
  final void targetWithoutTheBaseIsNotRebuilt() throws Exception {
    assumeTrue(has(EngineCapability.REBUILD), "the engine does not declare REBUILD");
    ReplicaLocation member = based(1);
    engine.provisionReplica(location(2), SIZE);
    ReplicaLocation other = on(sealed(base(3, "other")), location(3));
    try (OpenVolume volume = open(List.of(member))) {
      for (ReplicaLocation target : List.of(location(2), other)) {
        assertThat(failureOf(() -> rebuild(volume, target))).isEqualTo(ErrorCode.INVALID);
      }
      check(io(volume), baseContent((int) SIZE));
    }
  }

  @Test
  final void replicasAreMadeEqualAfterAKill() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = List.of(based(1), based(2));
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(10_000);
    OpenVolume killed = open(replicas);
    io(killed).write(3_000, other);
    io(killed).trim(REGION, LENGTH);
    System.arraycopy(other, 0, content, 3_000, other.length);
    clear(content, REGION, LENGTH);
    restartUncleanly();
    try (OpenVolume volume = open(replicas)) {
      for (int i = 0; i < 4; i++) {
        check(io(volume), content);
      }
    }
  }

  @Test
  final void scrubFindsNothingInReplicasOnABase() throws Exception {
    assumeTrue(has(EngineCapability.SCRUBBING), "the engine does not declare SCRUBBING");
    try (OpenVolume volume = open(List.of(based(1), based(2)))) {
      io(volume).trim(0, LENGTH);
      io(volume).write(REGION, bytes(LENGTH));
      snapshot(volume, "s1");
      ScrubResult result =
          ((ScrubbableVolume) volume)
              .scrub("s1", ScrubOptions.UNLIMITED)
              .done()
              .toCompletableFuture()
              .get();
      assertThat(result.damaged()).isEmpty();
      assertThat(result.repaired()).isEmpty();
    }
  }

  @Test
  final void linkedCloneStandsOnTheSameBase() throws Exception {
    assumeTrue(has(EngineCapability.LINKED_CLONE), "the engine does not declare LINKED_CLONE");
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    BaseLocation base = sealed(1);
    ReplicaLocation source = new ReplicaLocation("source", "source-1", disk(1), "source-1", false);
    on(base, source);
    on(base, location(1));
    assumeTrue(
        lab.placed(source).equals(source) && lab.placed(location(1)).equals(location(1)),
        "the replicas are on another node, whose engine shares them");
    engine.deleteReplica(location(1));
    byte[] content = baseContent((int) SIZE);
    byte[] other = bytes(10_000);
    try (OpenVolume volume =
        engine.open(
            new OpenRequest(
                "source",
                SIZE,
                "node-1",
                List.of(source),
                new InMemoryRegister(),
                new RecordingListener()))) {
      io(volume).write(3_000, other);
      System.arraycopy(other, 0, content, 3_000, other.length);
      snapshot(volume, "s1");
      ((LinkedCloneEngine) engine)
          .cloneReplica(location(1), SIZE, new SnapshotContent(source, "s1", "of-s1"));
    }
    engine.deleteReplica(source);
    assertThat(failureOf(() -> bases().deleteBase(base)))
        .as("deleting the base of a clone whose source is gone")
        .isEqualTo(ErrorCode.BUSY);
    try (OpenVolume volume = open(List.of(location(1)))) {
      check(io(volume), content);
      io(volume).trim(0, LENGTH);
      clear(content, 0, LENGTH);
      check(io(volume), content);
    }
  }
}
