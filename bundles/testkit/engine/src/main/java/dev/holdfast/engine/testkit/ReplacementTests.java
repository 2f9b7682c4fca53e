package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine replaces another one while a volume is open. */
abstract class ReplacementTests extends EngineTests {
  private static final int ROUNDS = 12;
  private static final int PIECE = 70_000;

  private final EngineLab lab;
  private EngineProvider next;

  ReplacementTests(EngineLab lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void startNext() throws Exception {
    assumeTrue(has(EngineCapability.HANDOVER), "the engine does not declare HANDOVER");
    next = lab.start();
  }

  @AfterEach
  final void stopNext() throws Exception {
    if (next != null) {
      lab.stop(next);
    }
  }

  private OpenVolume resume(EngineProvider by, List<ReplicaLocation> replicas, Handover handover)
      throws StorageException {
    return ((HandoverEngine) by)
        .resume(
            new OpenRequest(VOLUME, SIZE, "node-1", replicas, register, new RecordingListener()),
            handover);
  }

  private static Handover handOver(OpenVolume volume, boolean lasting) throws StorageException {
    return ((HandoverVolume) volume).handOver(lasting);
  }

  @Test
  final void nextEngineContinuesInTheSameGenerationWithoutTheRegister() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(PIECE);
    OpenVolume before = open(replicas);
    io(before).write(777, content);
    Membership record = register.record();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    try (OpenVolume after = resume(next, replicas, handOver(before, false))) {
      assertThat(after.device().size()).isEqualTo(SIZE);
      assertThat(after.replicas()).containsOnly(Map.entry("vol-r-1", MemberMode.RW));
      assertContent(io(after).read(777, PIECE), content);
      io(after).write(40_000, content);
      io(after).flush();
      assertContent(io(after).read(40_000, PIECE), content);
      register.become(InMemoryRegister.Mode.REACHABLE);
      assertThat(register.record()).isEqualTo(record);
    }
  }

  @Test
  final void volumesMoveBetweenEnginesWithoutLoss() throws Exception {
    List<ReplicaLocation> replicas = provisioned(has(EngineCapability.REPLICATED) ? 3 : 1);
    byte[] expected = new byte[ROUNDS * PIECE];
    EngineProvider[] engines = {engine, next};
    OpenVolume volume = open(replicas);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] content = bytes(PIECE);
      System.arraycopy(content, 0, expected, round * PIECE, PIECE);
      io(volume).write((long) round * PIECE, content);
      volume = resume(engines[(round + 1) % 2], replicas, handOver(volume, round % 3 == 0));
      assertContent(io(volume).read(0, expected.length), expected);
    }
    assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
    volume.close();
    assertThat(register.record().generation()).isEqualTo(1);
  }

  @Test
  final void theFormerHasNoEffectAnyMore() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    OpenVolume before = open(replicas);
    DeviceIo former = io(before);
    former.write(0, bytes(PIECE));
    byte[] content = bytes(PIECE);
    try (OpenVolume after = resume(next, replicas, handOver(before, false))) {
      io(after).write(0, content);
      assertThat(failureOf(() -> former.write(0, bytes(PIECE)))).isEqualTo(ErrorCode.IO);
      assertThat(failureOf(() -> former.read(0, 1))).isEqualTo(ErrorCode.IO);
      before.close();
      assertContent(io(after).read(0, PIECE), content);
    }
  }

  @Test
  final void volumeThatTheNextVersionCannotResumeReturnsToTheFormer() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(PIECE);
    OpenVolume before = open(replicas);
    io(before).write(0, content);
    Handover known = handOver(before, false);
    Handover unknown =
        new Handover(known.format() + 1000, known.session(), known.state(), known.parts());
    assertThat(failureOf(() -> resume(next, replicas, unknown))).isEqualTo(ErrorCode.UNSUPPORTED);
    try (OpenVolume again = resume(engine, replicas, known.next())) {
      assertContent(io(again).read(0, PIECE), content);
      io(again).write(PIECE, content);
      assertContent(io(again).read(PIECE, PIECE), content);
    }
  }

  @Test
  final void aLaterAttemptFencesTheOneBefore() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "what is kept only here cannot tell of another");
    List<ReplicaLocation> replicas = provisioned(1);
    OpenVolume before = open(replicas);
    Handover handover = handOver(before, false);
    try (OpenVolume after = resume(engine, replicas, handover.next())) {
      byte[] content = bytes(PIECE);
      io(after).write(0, content);
      assertThat(failureOf(() -> resume(next, replicas, handover)))
          .isIn(ErrorCode.CONFLICT, ErrorCode.BUSY);
      assertContent(io(after).read(0, PIECE), content);
      io(after).write(0, bytes(PIECE));
    }
  }

  @Test
  final void aLaterGenerationEndsTheHandOver() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "what is kept only here cannot tell of another");
    List<ReplicaLocation> replicas = provisioned(1);
    Handover handover = handOver(open(replicas), false);
    try (OpenVolume other = open(replicas)) {
      byte[] content = bytes(PIECE);
      io(other).write(0, content);
      assertThat(failureOf(() -> resume(next, replicas, handover)))
          .isIn(ErrorCode.CONFLICT, ErrorCode.BUSY);
      assertContent(io(other).read(0, PIECE), content);
    }
    assertThat(failureOf(() -> resume(next, replicas, handover.next())))
        .isEqualTo(ErrorCode.CONFLICT);
  }

  @Test
  final void volumeThatNoEngineResumesIsOpenedAgain() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(PIECE);
    for (boolean lasting : new boolean[] {true, false}) {
      OpenVolume volume = open(replicas);
      io(volume).write(0, content);
      handOver(volume, lasting);
      assertThat(engine.inspectReplica(replicas.get(0)).orElseThrow().clean()).isEqualTo(lasting);
      restartUncleanly();
      try (OpenVolume again = open(replicas)) {
        assertContent(io(again).read(0, PIECE), content);
      }
    }
  }

  @Test
  final void anEngineThatIsKilledAfterItTookOverLosesNothing() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = provisioned(has(EngineCapability.REPLICATED) ? 3 : 1);
    for (boolean lasting : new boolean[] {true, false}) {
      byte[] first = bytes(PIECE);
      byte[] second = bytes(PIECE);
      OpenVolume volume = open(replicas);
      io(volume).write(0, first);
      OpenVolume after = resume(next, replicas, handOver(volume, lasting));
      // Also into a region that was already written.
      io(after).write(PIECE, second);
      lab.kill(next);
      next = lab.start();
      try (OpenVolume again = open(replicas)) {
        assertThat(again.replicas().values()).containsOnly(MemberMode.RW);
        assertContent(io(again).read(0, PIECE), first);
        assertContent(io(again).read(PIECE, PIECE), second);
      }
    }
  }

  @Test
  final void snapshotsAreKept() throws Exception {
    assumeTrue(has(EngineCapability.SNAPSHOTS), "the engine does not declare SNAPSHOTS");
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] first = bytes(PIECE);
    byte[] second = bytes(PIECE);
    OpenVolume volume = open(replicas);
    io(volume).write(0, first);
    snapshot(volume, "one");
    io(volume).write(5000, second);
    volume = resume(next, replicas, handOver(volume, false));
    snapshot(volume, "two");
    io(volume).write(4096L * 100, first);
    volume = resume(engine, replicas, handOver(volume, true));
    assertContent(io(volume).read(0, 5000), java.util.Arrays.copyOf(first, 5000));
    assertContent(io(volume).read(5000, PIECE), second);
    assertContent(io(volume).read(4096L * 100, PIECE), first);
    ((SnapshotVolume) volume).revert("one");
    assertContent(io(volume).read(0, PIECE), first);
    assertContent(io(volume).read(4096L * 100, 4096), new byte[4096]);
    volume.close();
  }

  private static void snapshot(OpenVolume volume, String name) throws StorageException {
    ((SnapshotVolume) volume)
        .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  @Test
  final void aGrownVolumeStaysGrown() throws Exception {
    assumeTrue(has(EngineCapability.EXPANSION), "the engine does not declare EXPANSION");
    List<ReplicaLocation> replicas = provisioned(1);
    OpenVolume volume = open(replicas);
    ((ExpandableVolume) volume).expand(2 * SIZE);
    byte[] content = bytes(PIECE);
    io(volume).write(2 * SIZE - PIECE, content);
    try (OpenVolume after = resume(next, replicas, handOver(volume, false))) {
      assertThat(after.device().size()).isEqualTo(2 * SIZE);
      assertContent(io(after).read(2 * SIZE - PIECE, PIECE), content);
    }
  }
}
