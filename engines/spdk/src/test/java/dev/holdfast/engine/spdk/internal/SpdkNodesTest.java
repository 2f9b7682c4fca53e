package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes with replicas on several nodes. */
class SpdkNodesTest {
  private static final int BLOCK = 4_096;
  private static final int SIZE = (int) SpdkCluster.SIZE;
  private static final String NEAR = "node-1";
  private static final String FAR = "node-2";

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final Random random = new Random(7);
  private SpdkCluster cluster;
  private List<ReplicaLocation> replicas;

  /** Creates the nodes of a test. */
  SpdkCluster cluster(Path folder) throws Exception {
    return new SpdkCluster(folder, SpdkLab::new, 2);
  }

  @BeforeEach
  void provision() throws Exception {
    provision(disks);
  }

  final void provision(Path folder) throws Exception {
    cluster = cluster(folder);
    replicas = cluster.provision("vol", NEAR, FAR);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.stop();
  }

  private SpdkVolume open(String node) throws StorageException {
    return cluster.open(node, replicas, register, listener);
  }

  private byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private static DeviceIo io(SpdkVolume volume) {
    return new DeviceIo(volume.device());
  }

  private static SnapshotRequest named(String name) {
    return new SnapshotRequest(name, true, Instant.EPOCH, Map.of());
  }

  private void requireEqual(String content) throws Exception {
    cluster.requireEqual(replicas, register, List.of(content));
  }

  /** Waits until the target of a node has detected the loss of a leg. */
  private void awaitLoss(String node) throws Exception {
    try (SpdkTarget target = cluster.lab(node).target()) {
      Eventually.holds(
          "loss of the leg",
          () ->
              !target
                  .call("bdev_nvme_get_controllers", SpdkTarget.params())
                  .findValues("state")
                  .toString()
                  .contains("enabled"));
    }
  }

  @Test
  void targetThatKnowsTheNameOfAnotherNeedsItsKeysToo() throws Exception {
    try (SpdkVolume volume = open(NEAR);
        SpdkTarget far = cluster.lab(FAR).target()) {
      TargetSubsystem leg =
          new Subsystems(far)
              .all().stream()
                  .filter(one -> one.nqn().contains("spdk-leg:"))
                  .findFirst()
                  .orElseThrow();
      ObjectNode params = SpdkTarget.params().put("name", "thief");
      leg.listeners().get(0).describe(params);
      params.put("subnqn", leg.nqn()).put("hostnqn", leg.hosts().get(0));
      params.put("fabrics_connect_timeout_us", 2_000_000);
      assertThatThrownBy(() -> far.run("bdev_nvme_attach_controller", params))
          .isInstanceOf(StorageException.class);
      io(volume).write(0, bytes(BLOCK));
    }
  }

  /**
   * A leg is removed only if the node of the leg does not show it. A failed query by the volume's
   * own node is not evidence of a loss.
   */
  @Test
  void replicasStayWhenTheTargetOfTheVolumeEnds() throws Exception {
    SpdkVolume volume = open(NEAR);
    cluster.lab(NEAR).killTarget();
    assertThatThrownBy(volume::lookAtNodes).isInstanceOf(StorageException.class);
    assertThat(register.record().members()).hasSize(2);
    cluster.lab(NEAR).startTarget();
  }

  @Test
  void bothNodesHoldAllBytesAndSnapshots() throws Exception {
    byte[] content = bytes(300_000);
    try (SpdkVolume volume = open(NEAR)) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(register.record().members()).hasSize(2);
      io(volume).write(1_000_001, content);
      assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
      io(volume).write(0, bytes(BLOCK));
      assertThat(io(volume).read(1_000_001, content.length)).isEqualTo(content);
    }
    requireEqual("s1");
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void growthAndRevertReachBothNodes() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(NEAR)) {
      io(volume).write(0, content);
      assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
      io(volume).write(0, bytes(BLOCK));
      volume.expand(2L * SIZE);
      io(volume).write(2L * SIZE - BLOCK, content);
      assertThat(io(volume).read(2L * SIZE - BLOCK, BLOCK)).isEqualTo(content);
      volume.revert("s1");
      assertThat(volume.device().size()).isEqualTo(2L * SIZE);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
      assertThat(io(volume).read(2L * SIZE - BLOCK, BLOCK)).containsOnly(0);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void volumeIsServedByANodeWithoutAReplica() throws Exception {
    List<ReplicaLocation> far = replicas.subList(1, 2);
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = cluster.open(NEAR, far, register, listener)) {
      io(volume).write(0, content);
      assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
      io(volume).write(0, bytes(BLOCK));
      assertThat(new DeviceIo(volume.openSnapshot("s1")).read(0, BLOCK)).isEqualTo(content);
      volume.revert("s1");
      volume.expand(2L * SIZE);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
    try (SpdkVolume volume = cluster.open(FAR, far, register, listener)) {
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
  }

  private void restartTarget(String node) throws Exception {
    cluster.lab(node).killTarget();
    cluster.lab(node).startTarget();
  }

  @Test
  void replicaOfThisNodeCountsAfterARestartOfItsTargetAndTheOtherIsRebuilt() throws Exception {
    byte[] content = bytes(300_000);
    try (SpdkVolume volume = open(NEAR)) {
      io(volume).write(1_000_001, content);
      restartTarget(NEAR);
      assertThat(io(volume).read(1_000_001, content.length)).isEqualTo(content);
      assertThat(volume.replicas())
          .containsEntry(replicas.get(0).replica(), MemberMode.RW)
          .containsEntry(replicas.get(1).replica(), MemberMode.ERR);
      assertThat(register.record().members()).hasSize(1);
      var unused =
          volume
              .rebuild(replicas.get(1), RebuildOptions.UNLIMITED)
              .done()
              .toCompletableFuture()
              .get();
      io(volume).write(0, bytes(BLOCK));
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void volumeWithoutReplicaOnThisNodeIsRestoredAfterARestartOfItsTarget() throws Exception {
    byte[] content = bytes(BLOCK);
    List<ReplicaLocation> far = replicas.subList(1, 2);
    try (SpdkVolume volume = cluster.open(NEAR, far, register, listener)) {
      io(volume).write(0, content);
      restartTarget(NEAR);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
    }
  }

  @Test
  void targetThatShowsAReplicaToAnotherNodeIsReplacedAndItsRequestsWait() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = cluster.open(FAR, replicas.subList(0, 1), register, listener)) {
      io(volume).write(0, content);
      cluster.lab(NEAR).outdate();
      Eventually.holds("replacement", () -> !cluster.lab(NEAR).isOutdated());
      io(volume).write(BLOCK, content);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
    }
  }

  @Test
  void laterOpeningOnTheOtherNodeEndsTheEarlierOne() throws Exception {
    byte[] content = bytes(BLOCK);
    SpdkVolume first = open(NEAR);
    HostConnection host =
        cluster
            .lab(NEAR)
            .connect(first.export(cluster.lab(NEAR).request("nvmeof", "vol")).endpoints().get(0));
    io(first).write(0, content);
    try (SpdkVolume second = open(FAR)) {
      assertThat(second.replicas()).containsEntry("vol-r-node-2", MemberMode.RW);
      byte[] before = io(second).read(0, SIZE);
      assertThat(before).startsWith(content);
      assertThat(catchThrowable(() -> io(first).write(0, bytes(BLOCK)))).isNotNull();
      assertThat(catchThrowable(() -> host.write(0, bytes(BLOCK)))).isNotNull();
      assertThat(catchThrowable(() -> first.createSnapshot(named("s1")))).isNotNull();
      assertThat(catchThrowable(first::close)).isNull();
      assertThat(io(second).read(0, SIZE)).isEqualTo(before);
    }
  }

  /** The first node is cut off from the other one and from the register. Its target continues. */
  @Test
  void cutOffEngineAcknowledgesNothingAndChangesNoByteOfTheOtherNode() throws Exception {
    byte[] content = bytes(BLOCK);
    SpdkVolume first = open(NEAR);
    io(first).write(0, content);
    cluster.cut(NEAR);
    try (SpdkVolume second = open(FAR)) {
      assertThat(second.replicas())
          .containsEntry("vol-r-node-1", MemberMode.ERR)
          .containsEntry("vol-r-node-2", MemberMode.RW);
      byte[] before = io(second).read(0, SIZE);
      CompletableFuture<Boolean> write = new CompletableFuture<>();
      first
          .device()
          .write(0, ByteBuffer.wrap(bytes(BLOCK)), 0, failure -> write.complete(failure == null));
      awaitLoss(NEAR);
      cluster.engine(NEAR).lookAtLegs();
      assertThat(register.record().owner()).isEqualTo(FAR);
      assertThat(register.record().members()).hasSize(1);
      assertThat(write.getNow(false)).as("the write was acknowledged").isFalse();
      assertThat(io(second).read(0, SIZE)).isEqualTo(before);
      cluster.lab(NEAR).killTarget();
      cluster.kill(NEAR);
      assertThat(write.getNow(false)).as("the write was acknowledged").isFalse();
    }
    cluster.join(NEAR);
    cluster.lab(NEAR).startTarget();
    cluster.start(NEAR);
  }

  @Test
  void legOfALostNodeIsGivenUpByADecisionThatTheRegisterHas() throws Exception {
    SpdkVolume volume = open(NEAR);
    io(volume).write(0, bytes(BLOCK));
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    cluster.kill(FAR);
    cluster.lab(FAR).killTarget();
    byte[] content = bytes(BLOCK);
    CompletableFuture<Boolean> write = new CompletableFuture<>();
    volume
        .device()
        .write(0, ByteBuffer.wrap(content), 0, failure -> write.complete(failure == null));
    awaitLoss(NEAR);
    cluster.engine(NEAR).lookAtLegs();
    assertThat(write).as("a write without a decision").isNotDone();
    assertThat(register.record().members()).hasSize(2);
    register.become(InMemoryRegister.Mode.REACHABLE);
    cluster.engine(NEAR).lookAtLegs();
    assertThat(write.get()).as("the write succeeded after the decision").isTrue();
    assertThat(register.record().members()).hasSize(1);
    assertThat(listener.modes()).containsEntry("vol-r-node-2", MemberMode.ERR);
    assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
    volume.close();
    cluster.lab(FAR).startTarget();
    cluster.start(FAR);
    StorageException stale =
        catchThrowableOfType(
            StorageException.class,
            () -> cluster.open(FAR, replicas.subList(1, 2), register, listener));
    assertThat(stale.code()).isEqualTo(ErrorCode.UNREACHABLE);
    try (SpdkVolume again = open(FAR)) {
      assertThat(again.replicas()).containsEntry("vol-r-node-2", MemberMode.ERR);
      assertThat(io(again).read(0, BLOCK)).isEqualTo(content);
    }
  }

  @Test
  void legStaysWhenItsTargetIsBackInTime() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(NEAR)) {
      register.become(InMemoryRegister.Mode.UNREACHABLE); // no decision is made during the outage
      cluster.lab(FAR).killTarget();
      CompletableFuture<Boolean> write = new CompletableFuture<>();
      volume
          .device()
          .write(0, ByteBuffer.wrap(content), 0, failure -> write.complete(failure == null));
      cluster.lab(FAR).startTarget();
      cluster.engine(NEAR).lookAtLegs();
      register.become(InMemoryRegister.Mode.REACHABLE);
      cluster.engine(NEAR).lookAtLegs();
      assertThat(write.get()).as("the write succeeded when the leg was back").isTrue();
      assertThat(register.record().members()).hasSize(2);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void restartOfTheOtherEngineEndsNothing() throws Exception {
    byte[] content = bytes(BLOCK);
    try (SpdkVolume volume = open(NEAR)) {
      cluster.kill(FAR);
      cluster.start(FAR);
      io(volume).write(0, content);
      assertThat(volume.createSnapshot(named("s1")).name()).isEqualTo("s1");
      cluster.engine(NEAR).lookAtLegs();
      assertThat(register.record().members()).hasSize(2);
    }
    requireEqual("s1");
  }

  @Test
  void allLegsCountAfterAKillOfTheEngineAlone() throws Exception {
    byte[] content = bytes(BLOCK);
    io(open(NEAR)).write(0, content);
    cluster.kill(NEAR);
    cluster.start(NEAR);
    try (SpdkVolume volume = open(NEAR)) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(io(volume).read(0, BLOCK)).isEqualTo(content);
    }
    requireEqual(SnapshotInfo.HEAD);
  }

  @Test
  void replicaInUseByAnotherNodeIsNotDeleted() throws Exception {
    try (SpdkVolume volume = open(NEAR)) {
      StorageException used =
          catchThrowableOfType(
              StorageException.class, () -> cluster.engine(FAR).deleteReplica(replicas.get(1)));
      assertThat(used.code()).isEqualTo(ErrorCode.BUSY);
      volume.removeReplica("vol-r-node-2");
      cluster.engine(FAR).deleteReplica(replicas.get(1));
      io(volume).write(0, bytes(BLOCK));
    }
    assertThat(cluster.engine(FAR).inspectReplica(replicas.get(1))).isEmpty();
  }
}
