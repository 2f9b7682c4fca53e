package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine that declares {@code REPLICA_REMOVAL} removes replicas while the volume is used. */
abstract class RemovalTests extends EngineTests {
  private final EngineLab.Replicated lab;

  RemovalTests(EngineLab.Replicated lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void checkDeclared() {
    assumeTrue(
        has(EngineCapability.REPLICA_REMOVAL), "the engine does not declare REPLICA_REMOVAL");
  }

  private ReducibleVolume volume(List<ReplicaLocation> replicas) throws StorageException {
    return (ReducibleVolume) open(replicas);
  }

  @Test
  final void removedReplicaIsNotAMemberAndMayBeDeleted() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    byte[] content = bytes(8192);
    try (ReducibleVolume volume = volume(replicas)) {
      io(volume).write(0, content);
      volume.removeReplica("vol-r-2");
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.RW)
          .containsEntry("vol-r-2", MemberMode.ERR)
          .containsEntry("vol-r-3", MemberMode.RW);
      assertThat(listener.modes()).containsEntry("vol-r-2", MemberMode.ERR);
      assertThat(register.record().members()).hasSize(2);
      engine.deleteReplica(replicas.get(1));
      assertThat(engine.inspectReplica(replicas.get(1))).as("a deleted replica").isEmpty();
      io(volume).write(8192, content);
      assertContent(io(volume).read(0, 8192), content);
    }
    try (OpenVolume volume = open(List.of(replicas.get(0), replicas.get(2)))) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertContent(io(volume).read(8192, 8192), content);
    }
  }

  @Test
  final void lastReplicaIsNotRemoved() throws Exception {
    byte[] content = bytes(4096);
    try (ReducibleVolume volume = volume(provisioned(2))) {
      volume.removeReplica("vol-r-1");
      assertThat(failureOf(() -> volume.removeReplica("vol-r-2"))).isEqualTo(ErrorCode.CONFLICT);
      io(volume).write(0, content);
      assertContent(io(volume).read(0, 4096), content);
      assertThat(volume.replicas()).containsEntry("vol-r-2", MemberMode.RW);
    }
  }

  @Test
  final void replicaIsNotRemovedWhenTheOthersFail() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content = bytes(4096);
    try (ReducibleVolume volume = volume(replicas)) {
      io(volume).write(0, content);
      lab.breakDisk(replicas.get(0));
      assertThat(failureOf(() -> volume.removeReplica("vol-r-2"))).isEqualTo(ErrorCode.CONFLICT);
      assertContent(io(volume).read(0, 4096), content);
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.ERR)
          .containsEntry("vol-r-2", MemberMode.RW);
      lab.repair(replicas.get(0));
    }
  }

  @Test
  final void removeIgnoresReplicaThatIsNotAMember() throws Exception {
    try (ReducibleVolume volume = volume(provisioned(2))) {
      volume.removeReplica("vol-r-7");
      volume.removeReplica("vol-r-2");
      long epoch = register.record().epochNumber();
      volume.removeReplica("vol-r-2");
      assertThat(register.record().epochNumber()).isEqualTo(epoch);
    }
  }

  @Test
  final void removedReplicaStaysOut() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content = bytes(4096);
    ReducibleVolume volume = volume(replicas);
    io(volume).write(0, bytes(4096));
    volume.removeReplica("vol-r-1");
    io(volume).write(0, content);
    restartUncleanly();
    assertThat(failureOf(() -> open(replicas.subList(0, 1))).retryable())
        .as("the refusal of a removed replica may be tried again")
        .isTrue();
    try (OpenVolume next = open(replicas)) {
      assertThat(next.replicas())
          .containsEntry("vol-r-1", MemberMode.ERR)
          .containsEntry("vol-r-2", MemberMode.RW);
      assertContent(io(next).read(0, 4096), content);
    }
  }

  @Test
  final void removalThatCannotBeRecordedLeavesTheReplica() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content = bytes(4096);
    try (ReducibleVolume volume = volume(replicas)) {
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      assertThat(failureOf(() -> volume.removeReplica("vol-r-2"))).isEqualTo(ErrorCode.UNREACHABLE);
      io(volume).write(0, content);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      register.become(InMemoryRegister.Mode.REACHABLE);
    }
    for (ReplicaLocation replica : replicas) {
      assertThat(Arrays.copyOf(lab.content(replica), 4096)).isEqualTo(content);
    }
    try (ReducibleVolume volume = volume(replicas)) {
      volume.removeReplica("vol-r-2");
      assertThat(register.record().members()).hasSize(1);
    }
  }

  @Test
  final void removalWithALostReplyLosesNoData() throws Exception {
    List<ReplicaLocation> replicas = provisioned(2);
    byte[] content = bytes(4096);
    ReducibleVolume volume = volume(replicas);
    register.become(InMemoryRegister.Mode.ANSWERS_LOST);
    assertThat(failureOf(() -> volume.removeReplica("vol-r-2"))).isEqualTo(ErrorCode.UNREACHABLE);
    io(volume).write(0, content);
    restartUncleanly();
    register.become(InMemoryRegister.Mode.REACHABLE);
    try (OpenVolume next = open(replicas)) {
      assertThat(next.replicas()).containsEntry("vol-r-1", MemberMode.RW);
      assertContent(io(next).read(0, 4096), content);
    }
  }

  @Test
  final void requestsContinueWhileAReplicaIsRemoved() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    AtomicBoolean enough = new AtomicBoolean();
    CountDownLatch warm = new CountDownLatch(50);
    try (ReducibleVolume volume = volume(replicas)) {
      Future<byte[]> load = thread.submit(() -> write(io(volume), warm, enough));
      warm.await();
      volume.removeReplica("vol-r-1");
      engine.deleteReplica(replicas.get(0));
      enough.set(true);
      byte[] last = load.get();
      assertContent(io(volume).read(0, 4096), last);
    } finally {
      thread.shutdownNow();
    }
    assertContent(
        "replicas that stayed", lab.content(replicas.get(2)), lab.content(replicas.get(1)));
  }

  // Returns the last written content.
  private static byte[] write(DeviceIo io, CountDownLatch warm, AtomicBoolean enough)
      throws StorageException {
    byte[] content = new byte[4096];
    for (int i = 0; !enough.get(); i++) {
      Arrays.fill(content, (byte) i);
      io.write(0, content);
      warm.countDown();
    }
    return content;
  }
}
