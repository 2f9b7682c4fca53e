package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Several replicas remain one volume when some of them fail. */
abstract class ReplicationTests extends EngineTests {
  private final EngineLab.Replicated lab;

  ReplicationTests(EngineLab.Replicated lab) {
    super(lab);
    this.lab = lab;
  }

  private void checkIdentical(List<ReplicaLocation> replicas) throws Exception {
    byte[] first = lab.content(replicas.get(0));
    for (ReplicaLocation replica : replicas) {
      assertThat(java.util.Arrays.equals(lab.content(replica), first))
          .as("%s equals %s", replica.replica(), replicas.get(0).replica())
          .isTrue();
    }
  }

  @Test
  final void replicationIsDeclared() {
    assertThat(engine.capabilities()).contains(EngineCapability.REPLICATED);
  }

  @Test
  final void allReplicasHoldAllBytes() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    byte[] content = bytes(300_000);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(1_000_001, content);
      io(volume).zero(1_100_000, 5_000, IoFlags.NONE);
    }
    checkIdentical(replicas);
    byte[] raw = java.util.Arrays.copyOfRange(lab.content(replicas.get(2)), 1_000_001, 1_100_000);
    assertContent(raw, java.util.Arrays.copyOf(content, 99_999));
  }

  @Test
  final void overlappingWritersLeaveReplicasIdentical() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    try (OpenVolume volume = open(replicas)) {
      hammer(volume, 2_000, new CountDownLatch(0));
    }
    checkIdentical(replicas);
  }

  @Test
  final void uncleanStopLeavesReplicasIdenticalAfterTheNextOpening() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    for (int round = 0; round < 5; round++) {
      OpenVolume volume = open(replicas);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      CountDownLatch warm = new CountDownLatch(200);
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try {
        Future<?> load =
            thread.submit(
                () -> {
                  hammer(volume, Integer.MAX_VALUE, warm);
                  return null;
                });
        warm.await();
        restartUncleanly();
        load.get();
      } finally {
        thread.shutdownNow();
      }
      open(replicas).close();
      checkIdentical(replicas);
    }
  }

  // Two writers to the same small area, until the count is reached or the device fails.
  private void hammer(OpenVolume volume, int count, CountDownLatch progress) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Random own = new Random(random.nextLong());
        writers.add(
            threads.submit(
                () -> {
                  boolean failed = false;
                  for (int n = 0; n < count && !failed; n++) {
                    byte[] content = new byte[1 + own.nextInt(20_000)];
                    own.nextBytes(content);
                    Outcome outcome = new Outcome();
                    volume
                        .device()
                        .write(
                            own.nextInt(200_000), DeviceIo.direct(content), IoFlags.NONE, outcome);
                    failed = outcome.ending().isPresent();
                    progress.countDown();
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  final void failingReplicaIsDroppedInTheRegisterBeforeTheAnswer() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    try (OpenVolume volume = open(replicas)) {
      lab.breakDisk(replicas.get(1));
      byte[] content = bytes(8192);
      Outcome outcome = new Outcome();
      List<Integer> membersAtAnswer = new ArrayList<>();
      volume
          .device()
          .write(
              0,
              DeviceIo.direct(content),
              IoFlags.NONE,
              failure -> {
                membersAtAnswer.add(register.record().members().size());
                outcome.completed(failure);
              });
      outcome.get();
      assertThat(membersAtAnswer).containsExactly(2);
      assertContent(io(volume).read(0, 8192), content);
      listener.awaitMode("vol-r-2", MemberMode.ERR);
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.RW)
          .containsEntry("vol-r-2", MemberMode.ERR)
          .containsEntry("vol-r-3", MemberMode.RW);
      lab.repair(replicas.get(1));
    }
  }

  @Test
  final void droppedReplicaStaysOutWhenItWorksAgain() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content = bytes(8192);
    try (OpenVolume volume = open(replicas)) {
      lab.breakDisk(replicas.get(0));
      io(volume).write(0, content);
      lab.repair(replicas.get(0));
      io(volume).write(8192, content);
    }
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.ERR)
          .containsEntry("vol-r-2", MemberMode.RW);
      assertContent(io(volume).read(0, 8192), content);
    }
    assertThat(failureOf(() -> open(replicas.subList(0, 1))).retryable())
        .as("the refusal of a dropped replica may be tried again")
        .isTrue();
  }

  @Test
  final void withoutTheRegisterTwoReplicasWaitInsteadOfFailing() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(4096, bytes(4096));
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      lab.breakDisk(replicas.get(1));
      int refusals = register.refusals();
      Outcome write = new Outcome();
      byte[] content = bytes(4096);
      volume.device().write(0, DeviceIo.direct(content), IoFlags.NONE, write);
      register.awaitRefusalAfter(refusals);
      Outcome read = new Outcome();
      volume.device().read(4096, ByteBuffer.allocateDirect(4096), read);
      register.awaitRefusalAfter(register.refusals());
      assertThat(write.calls()).as("completions of a write without the register").isZero();
      assertThat(read.calls()).as("completions of a read without the register").isZero();
      register.become(InMemoryRegister.Mode.REACHABLE);
      write.get();
      read.get();
      assertThat(register.record().members()).hasSize(1);
      lab.repair(replicas.get(1));
    }
  }

  @Test
  final void withoutTheRegisterAMajorityOfThreeReplicasCarriesOn() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    byte[] content = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      lab.breakDisk(replicas.get(2));
      io(volume).write(0, content);
      assertContent(io(volume).read(0, 4096), content);
      assertThat(volume.replicas()).containsEntry("vol-r-3", MemberMode.ERR);
      assertThat(register.record().members()).hasSize(3);
      register.become(InMemoryRegister.Mode.REACHABLE);
      register.awaitMembers(2);
      lab.repair(replicas.get(2));
    }
  }

  @Test
  final void decisionOfTheMembersIsFoundByTheNextOpening() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    byte[] content = bytes(4096);
    OpenVolume volume = open(replicas);
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    lab.breakDisk(replicas.get(2));
    io(volume).write(0, content);
    restartUncleanly();
    lab.repair(replicas.get(2));
    register.become(InMemoryRegister.Mode.REACHABLE);
    assertThat(failureOf(() -> open(replicas.subList(2, 3)))).isEqualTo(ErrorCode.UNREACHABLE);
    try (OpenVolume next = open(replicas)) {
      assertThat(next.replicas()).containsEntry("vol-r-3", MemberMode.ERR);
      assertContent(io(next).read(0, 4096), content);
    }
  }

  @Test
  final void lostAnswerOfTheRegisterDoesNotStopTheVolume() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    try (OpenVolume volume = open(replicas)) {
      register.become(InMemoryRegister.Mode.ANSWERS_LOST);
      lab.breakDisk(replicas.get(2));
      int refusals = register.refusals();
      Outcome write = new Outcome();
      volume.device().write(0, DeviceIo.direct(bytes(4096)), IoFlags.NONE, write);
      register.awaitRefusalAfter(refusals);
      register.become(InMemoryRegister.Mode.REACHABLE);
      write.get();
      assertThat(register.record().members()).hasSize(2);
      lab.repair(replicas.get(2));
    }
  }

  @Test
  final void closingWhileRequestsWaitEndsThem() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    OpenVolume volume = open(replicas);
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    lab.breakDisk(replicas.get(1));
    int refusals = register.refusals();
    Outcome write = new Outcome();
    volume.device().write(0, DeviceIo.direct(bytes(4096)), IoFlags.NONE, write);
    register.awaitRefusalAfter(refusals);
    assertThat(failureOf(volume::close)).isEqualTo(ErrorCode.IO);
    assertThat(write.ending()).as("failure of the write").isPresent();
    lab.repair(replicas.get(1));
    register.become(InMemoryRegister.Mode.REACHABLE);
    open(replicas).close();
    checkIdentical(
        replicas.stream()
            .filter(replica -> listener.modes().get(replica.replica()) != MemberMode.ERR)
            .toList());
  }

  @Test
  final void lastReplicaIsNeverDropped() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    try (OpenVolume volume = open(replicas)) {
      lab.breakDisk(replicas.get(0));
      lab.breakDisk(replicas.get(1));
      Outcome write = new Outcome();
      volume.device().write(0, DeviceIo.direct(bytes(4096)), IoFlags.NONE, write);
      assertThat(write.ending()).as("failure of the write").isPresent();
      assertThat(register.record().members()).as("members in the register").isNotEmpty();
      replicas.forEach(lab::repair);
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.IO);
    }
    open(replicas).close();
  }

  @Test
  final void absentReplicaDoesNotKeepTheOthersFromOpening() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    byte[] content = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, content);
    }
    engine.deleteReplica(replicas.get(0));
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.ERR)
          .containsEntry("vol-r-3", MemberMode.RW);
      assertContent(io(volume).read(0, 4096), content);
    }
    engine.provisionReplica(replicas.get(0), SIZE);
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.replicas()).containsEntry("vol-r-1", MemberMode.ERR);
      assertContent(io(volume).read(0, 4096), content);
    }
  }
}
