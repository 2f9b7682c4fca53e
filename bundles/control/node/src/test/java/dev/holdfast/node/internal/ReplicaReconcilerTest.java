package dev.holdfast.node.internal;

import static dev.holdfast.node.internal.Resources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicaReconcilerTest {
  private static final String NAME = "vol-r-00000001";

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private RunningNode node;

  @BeforeEach
  void start() throws Exception {
    store.create(Resources.node(NODE, disk));
    startNode();
  }

  private void startNode() throws Exception {
    node = new RunningNode(store, disk);
    node.plugins.addEngine(new FakeEngine("fake", disks));
    Awaiting.until(store, Node.KIND, NODE, n -> n.status().diskStatus().containsKey("disk-1"));
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private ReplicaStatus untilReason(String type, String reason) throws Exception {
    return Awaiting.until(
            store,
            Replica.KIND,
            NAME,
            replica ->
                Condition.find(replica.status().conditions(), type)
                    .filter(c -> c.reason().equals(reason))
                    .isPresent())
        .status();
  }

  private void make() throws Exception {
    store.create(Resources.replica(NAME, NODE, disk));
    untilReason(Replica.PROVISIONED_CONDITION, Replica.PROVISIONED_CONDITION);
  }

  /** Nothing wakes a reconciler when a disk changes; a restart looks at everything at once. */
  private void restart() throws Exception {
    node.close();
    startNode();
  }

  @Test
  void aReplicaIsMadeAndToldOf() throws Exception {
    make();
    Replica replica = store.get(Replica.KIND, NAME).orElseThrow();
    assertThat(replica.status().provisioned()).isTrue();
    assertThat(replica.status().currentState()).isEqualTo(InstanceState.RUNNING);
    assertThat(replica.status().actualSize()).isEqualTo(Resources.SIZE);
    assertThat(replica.metadata().finalizers()).containsExactly(ReplicaReconciler.FINALIZER);
    assertThat(disks.replicas()).containsExactly(NAME);
    store.update(replica.withSpec(replica.spec().withDesireState(DesireState.STOPPED)));
    Awaiting.until(
        store, Replica.KIND, NAME, r -> r.status().currentState() == InstanceState.STOPPED);
  }

  @Test
  void deletionRemovesTheData() throws Exception {
    make();
    store.delete(Replica.KIND, NAME, "");
    Awaiting.untilGone(store, Replica.KIND, NAME);
    assertThat(disks.replicas()).isEmpty();
  }

  private void makeVolume(VolumeState state) throws Exception {
    Volume volume =
        store.create(Volume.of(Resources.VOLUME, VolumeSpec.EMPTY.withSize(Resources.SIZE)));
    store.updateStatus(volume.withStatus(volume.status().withState(state)));
  }

  @ParameterizedTest
  @EnumSource(
      value = VolumeState.class,
      names = {"ATTACHED", "DETACHED", "ATTACHING", "DETACHING"})
  void deletedReplicaKeepsItsDataUntilItsVolumeLetsItGo(VolumeState state) throws Exception {
    makeVolume(state);
    make();
    store.delete(Replica.KIND, NAME, "");
    ReplicaStatus status = untilReason(ReplicaStatuses.DELETING, "VolumeNeedsReplica");
    assertThat(status.currentState()).isEqualTo(InstanceState.RUNNING);
    assertThat(disks.replicas()).containsExactly(NAME);
    Replica kept = store.get(Replica.KIND, NAME).orElseThrow();
    store.update(kept.disposable());
    Awaiting.untilGone(store, Replica.KIND, NAME);
    assertThat(disks.replicas()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = VolumeState.class,
      names = {"CREATING", "DELETING"})
  void deletionRemovesTheDataOfAVolumeThatHoldsNone(VolumeState state) throws Exception {
    makeVolume(state);
    make();
    store.delete(Replica.KIND, NAME, "");
    Awaiting.untilGone(store, Replica.KIND, NAME);
    assertThat(disks.replicas()).isEmpty();
  }

  @Test
  void lostDataIsNeverReplacedByAnEmptyReplica() throws Exception {
    make();
    disks.lose(NAME);
    restart();
    ReplicaStatus status = untilReason(Replica.PROVISIONED_CONDITION, Replica.DATA_MISSING_REASON);
    assertThat(status.provisioned()).isFalse();
    assertThat(status.currentState()).isEqualTo(InstanceState.ERROR);
    restart();
    untilReason(ReplicaStatuses.READY, Replica.DATA_MISSING_REASON);
    assertThat(disks.replicas()).isEmpty();
  }

  @Test
  void aReplicaOfAMissingDiskStaysProvisionedAndIsNotReady() throws Exception {
    make();
    Files.delete(disk.resolve("longhorn-disk.cfg"));
    restart();
    ReplicaStatus status = untilReason(ReplicaStatuses.READY, "DiskAbsent");
    assertThat(status.provisioned()).isTrue();
    assertThat(status.currentState()).isEqualTo(InstanceState.ERROR);
  }

  @Test
  void deletionWaitsForAMissingDiskUntilThatIsTakenFromTheNode() throws Exception {
    make();
    Files.delete(disk.resolve("longhorn-disk.cfg"));
    store.delete(Replica.KIND, NAME, "");
    untilReason("Deleting", "DiskAbsent");
    Node present = store.get(Node.KIND, NODE).orElseThrow();
    store.update(present.withSpec(NodeSpec.EMPTY));
    Awaiting.untilGone(store, Replica.KIND, NAME);
    assertThat(disks.replicas()).containsExactly(NAME);
  }

  @Test
  void aReplicaOfAnotherNodeIsNotTouched() throws Exception {
    store.create(Resources.replica("vol-r-00000002", "node-2", disk));
    make();
    assertThat(disks.replicas()).containsExactly(NAME);
    assertThat(store.get(Replica.KIND, "vol-r-00000002").orElseThrow().status())
        .isEqualTo(ReplicaStatus.EMPTY);
  }
}
