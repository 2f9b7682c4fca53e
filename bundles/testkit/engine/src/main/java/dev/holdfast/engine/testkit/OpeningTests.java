package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Opening, closing, and successive engines. */
abstract class OpeningTests extends EngineTests {
  OpeningTests(EngineLab lab) {
    super(lab);
  }

  @Test
  final void openVolumeHasItsSizeAndItsReplica() throws Exception {
    try (OpenVolume volume = open(provisioned(1))) {
      assertThat(volume.device().size()).isEqualTo(SIZE);
      assertThat(volume.device()).isSameAs(volume.device());
      assertThat(volume.replicas()).containsOnly(java.util.Map.entry("vol-r-1", MemberMode.RW));
    }
  }

  @Test
  final void everyOpeningRaisesTheGenerationAndNamesItsNode() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    for (int i = 0; i < 3; i++) {
      long before = register.record().generation();
      open(replicas).close();
      assertThat(register.record().generation()).isGreaterThan(before);
      assertThat(register.record().owner()).isEqualTo("node-1");
      assertThat(register.record().members()).hasSize(1);
    }
  }

  @Test
  final void withoutTheRegisterNothingOpens() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    assertThat(failureOf(() -> open(replicas))).isEqualTo(ErrorCode.UNREACHABLE);
    register.become(InMemoryRegister.Mode.REACHABLE);
    open(replicas).close();
  }

  @Test
  final void lostAnswerOfTheRegisterDoesNotBlockTheNextOpening() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    register.become(InMemoryRegister.Mode.ANSWERS_LOST);
    assertThat(failureOf(() -> open(replicas))).isEqualTo(ErrorCode.UNREACHABLE);
    register.become(InMemoryRegister.Mode.REACHABLE);
    open(replicas).close();
  }

  @Test
  final void anotherSizeIsNotOpened() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    OpenRequest request = new OpenRequest(VOLUME, 2 * SIZE, "node-1", replicas, register, listener);
    assertThat(failureOf(() -> engine.open(request)))
        .isIn(ErrorCode.INVALID, ErrorCode.UNREACHABLE);
  }

  @Test
  final void missingReplicaIsNamed() throws Exception {
    try {
      open(List.of(location(7)));
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining("vol-r-7");
      return;
    }
    throw new AssertionError(
        "expected a StorageException for a replica that was never made, found an open volume");
  }

  @Test
  final void reopenedVolumeHasTheDataOfTheClosedOne() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(100_000);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(777, content);
    }
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(777, content.length), content);
    }
  }

  @Test
  final void closingIsIdempotentAndEndsTheDevice() throws Exception {
    OpenVolume volume = open(provisioned(1));
    volume.close();
    volume.close();
    Outcome outcome = new Outcome();
    volume.device().write(0, DeviceIo.direct(bytes(512)), IoFlags.NONE, outcome);
    assertThat(outcome.failure()).isEqualTo(ErrorCode.IO);
  }

  @Test
  final void supersededEngineCompletesNoWrites() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    OpenVolume first = open(replicas);
    byte[] content = bytes(4096);
    io(first).write(0, content);
    RecordingListener second = new RecordingListener();
    OpenVolume taken;
    try {
      taken = open(replicas, second);
    } catch (StorageException e) {
      // While the first engine runs, a rejection is as safe as a takeover.
      assertThat(e.code()).isIn(ErrorCode.BUSY, ErrorCode.UNREACHABLE, ErrorCode.CONFLICT);
      io(first).write(4096, content);
      return;
    }
    assertContent(io(taken).read(0, 4096), content);
    Outcome late = new Outcome();
    first.device().write(0, DeviceIo.direct(bytes(4096)), IoFlags.NONE, late);
    assertThat(late.failure()).isIn(ErrorCode.FORBIDDEN, ErrorCode.IO);
    assertThat(listener.awaitFailure().code()).isEqualTo(ErrorCode.FORBIDDEN);
    assertContent(io(taken).read(0, 4096), content);
    first.close();
    io(taken).write(0, bytes(4096));
    io(taken).flush();
    assertThat(second.failure()).isEqualTo(Optional.empty());
  }

  @Test
  final void engineThatIsFencedWhileItOpensFails() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    OvertakingRegister overtaken = new OvertakingRegister(register);
    OpenRequest request = new OpenRequest(VOLUME, SIZE, "node-1", replicas, overtaken, listener);
    assertThat(failureOf(() -> engine.open(request))).isEqualTo(ErrorCode.CONFLICT);
    Membership now = register.record();
    assertThat(now.owner()).isEqualTo("node-2");
    open(replicas).close();
  }

  /** Simulates another engine that claims the volume directly after this one. */
  private record OvertakingRegister(InMemoryRegister below)
      implements dev.holdfast.engine.MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return below.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      boolean done = below.compareAndSet(expected, next);
      if (done && next.owner().equals("node-1")) {
        below.put(
            new Membership(
                next.generation() + 1,
                "node-2",
                next.epochGeneration(),
                next.epochNumber(),
                new TreeSet<>(next.members())));
      }
      return done;
    }
  }
}
