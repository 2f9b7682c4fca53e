package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ResizableForwardedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A volume that is open on node-1, and that node-2 and node-3 also serve by forwarding. */
abstract class ServingNodesTests extends EngineTests {
  private static final String SECOND = "node-2";
  private static final String THIRD = "node-3";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final EngineLab.SeveralNodes lab;
  private final List<Admission> admissions = new ArrayList<>();
  private ForwardingEngine owner;
  private ForwardingEngine second;
  private ForwardingEngine third;

  ServingNodesTests(EngineLab.SeveralNodes lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void startOthers() throws Exception {
    owner = (ForwardingEngine) engine;
    second = (ForwardingEngine) lab.startOn(SECOND);
    third = (ForwardingEngine) lab.startOn(THIRD);
  }

  @AfterEach
  final void stopOthers() throws Exception {
    expelAll();
    lab.stop(second);
    lab.stop(third);
  }

  private void admit(ForwardingEngine by, OpenVolume volume, String... nodes)
      throws StorageException {
    for (String node : nodes) {
      admissions.add(by.admit(VOLUME, node, volume.device()));
    }
  }

  private void expelAll() {
    admissions.forEach(Admission::close);
    admissions.clear();
  }

  private static ForwardedVolume forward(ForwardingEngine from, String owner)
      throws StorageException {
    return from.forward(new ForwardRequest(VOLUME, owner, PATIENCE));
  }

  /** Submits a write of one block, for which the test waits later. */
  private Outcome submit(BlockDevice device, byte[] content) {
    Outcome outcome = new Outcome();
    device.write(0, DeviceIo.direct(content), IoFlags.NONE, outcome);
    return outcome;
  }

  @Test
  final void theEngineDeclaresManyNodes() {
    assertThat(engine.capabilities())
        .contains(EngineCapability.FORWARDING, EngineCapability.MULTI_NODE);
  }

  @Test
  final void allNodesShowOneVolume() throws Exception {
    OpenVolume volume = open(provisioned(1));
    admit(owner, volume, SECOND, THIRD);
    try (ForwardedVolume onSecond = forward(second, "node-1");
        ForwardedVolume onThird = forward(third, "node-1")) {
      byte[] first = bytes(8192);
      io(volume).write(0, first);
      assertThat(io(onSecond).read(0, first.length)).as("owner's write on node-2").isEqualTo(first);
      assertThat(io(onThird).read(0, first.length)).as("owner's write on node-3").isEqualTo(first);
      byte[] next = bytes(4096);
      io(onThird).write(4096, next);
      io(onThird).flush();
      assertThat(io(onSecond).read(4096, next.length)).as("node-3's write").isEqualTo(next);
      assertThat(io(volume).read(4096, next.length)).as("node-3's write").isEqualTo(next);
      assertThat(onSecond.device().size()).isEqualTo(volume.device().size());
    }
  }

  @Test
  final void aNodeIsAdmittedOnceAndAnotherNotAtAll() throws Exception {
    OpenVolume volume = open(provisioned(1));
    admit(owner, volume, SECOND);
    assertThat(failureOf(() -> owner.admit(VOLUME, SECOND, volume.device()).close()))
        .as("a second admission of one node")
        .isEqualTo(ErrorCode.BUSY);
    assertThat(failureOf(() -> forward(third, "node-1").close()))
        .as("a node that is not admitted")
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  final void aNodeThatIsExpelledDisturbsNoOther() throws Exception {
    OpenVolume volume = open(provisioned(1));
    admit(owner, volume, SECOND, THIRD);
    try (ForwardedVolume onSecond = forward(second, "node-1");
        ForwardedVolume onThird = forward(third, "node-1")) {
      byte[] before = bytes(4096);
      io(onSecond).write(0, before);
      admissions.get(0).close();
      Outcome waiting = submit(onSecond.device(), bytes(4096));
      byte[] content = bytes(4096);
      io(onThird).write(4096, content);
      assertThat(io(volume).read(0, 4096)).as("a write of an expelled node").isEqualTo(before);
      assertThat(io(volume).read(4096, 4096)).isEqualTo(content);
      assertThat(waiting.calls()).as("answers to an expelled node").isZero();
    }
  }

  @Test
  final void growthReachesNodesThatForward() throws Exception {
    OpenVolume volume = open(provisioned(1));
    admit(owner, volume, SECOND, THIRD);
    try (ForwardedVolume onSecond = forward(second, "node-1");
        ForwardedVolume onThird = forward(third, "node-1")) {
      assumeTrue(
          volume instanceof ExpandableVolume && onThird instanceof ResizableForwardedVolume,
          "the engine's volumes do not grow while they are forwarded");
      Outcome early = new Outcome();
      onThird.device().write(SIZE, DeviceIo.direct(bytes(4096)), IoFlags.NONE, early);
      assertThat(failureOf(early::get)).as("a write beyond the end").isEqualTo(ErrorCode.INVALID);
      ((ExpandableVolume) volume).expand(2 * SIZE);
      ((ResizableForwardedVolume) onThird).grown(2 * SIZE);
      ((ResizableForwardedVolume) onThird).grown(SIZE);
      assertThat(onThird.device().size()).as("the size on node-3").isEqualTo(2 * SIZE);
      assertThat(onSecond.device().size()).as("the size on node-2").isEqualTo(SIZE);
      byte[] content = bytes(4096);
      io(onThird).write(2 * SIZE - content.length, content);
      assertThat(io(volume).read(2 * SIZE - content.length, content.length))
          .as("node-3's write at the new end")
          .isEqualTo(content);
    }
  }

  @Test
  final void theOwnerChangesWhileAllServe() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    OpenVolume volume = open(replicas);
    admit(owner, volume, SECOND, THIRD);
    try (ForwardedVolume onSecond = forward(second, "node-1");
        ForwardedVolume onThird = forward(third, "node-1")) {
      byte[] kept = bytes(4096);
      io(onThird).write(4096, kept);
      expelAll();
      volume.close();
      byte[] content = bytes(4096);
      Outcome waiting = submit(onThird.device(), content);
      OpenVolume moved = openOnSecond(replicas);
      admit(second, moved, THIRD);
      try (ForwardedVolume next = forward(third, SECOND)) {
        onSecond.redirect(moved.device());
        onThird.redirect(next.device());
        waiting.get();
        assertThat(io(moved).read(0, 4096)).as("the write that waited").isEqualTo(content);
        assertThat(io(onSecond).read(4096, 4096)).as("a write before the change").isEqualTo(kept);
        io(onThird).write(8192, kept);
        assertThat(io(moved).read(8192, 4096)).as("a write after the change").isEqualTo(kept);
      }
    }
  }

  private OpenVolume openOnSecond(List<ReplicaLocation> replicas) throws StorageException {
    List<ReplicaLocation> seen =
        replicas.stream()
            .map(
                here ->
                    new ReplicaLocation(
                        here.volume(),
                        here.replica(),
                        lab.seenFrom(here.disk(), SECOND),
                        here.directoryName(),
                        here.witness()))
            .toList();
    return second.open(
        new OpenRequest(VOLUME, SIZE, SECOND, seen, register, new RecordingListener()));
  }
}
