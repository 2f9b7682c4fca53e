package dev.holdfast.node.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
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
  private FakeEngine engine;
  private RunningNode node;

  @BeforeEach
  void start() throws Exception {
    store.create(VolumeResources.node(NODE, disk));
    startNode();
  }

  private void startNode() throws Exception {
    node = new RunningNode(store, disk);
    engine = new FakeEngine("fake", disks);
    node.plugins.addEngine(engine);
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
    store.create(VolumeResources.replica(NAME, NODE, disk));
    untilReason(Replica.PROVISIONED_CONDITION, Replica.PROVISIONED_CONDITION);
  }

  /**
   * Restarts the node, because a change of a disk triggers no reconciliation and a restart
   * reconciles everything at once.
   */
  private void restart() throws Exception {
    node.close();
    startNode();
  }

  @Test
  void replicaIsCreatedAndReported() throws Exception {
    make();
    Replica replica = store.get(Replica.KIND, NAME).orElseThrow();
    assertThat(replica.status().provisioned()).isTrue();
    assertThat(replica.status().currentState()).isEqualTo(InstanceState.RUNNING);
    assertThat(replica.status().actualSize()).isEqualTo(VolumeResources.SIZE);
    assertThat(replica.metadata().finalizers()).containsExactly(ReplicaReconciler.FINALIZER);
    assertThat(disks.replicas()).containsExactly(NAME);
    store.update(replica.withSpec(replica.spec().withDesireState(DesireState.STOPPED)));
    Awaiting.until(
        store, Replica.KIND, NAME, r -> r.status().currentState() == InstanceState.STOPPED);
  }

  @Test
  void replicaReportsThatItsEngineDroppedIt() throws Exception {
    make();
    Replica second = VolumeResources.replica("vol-r-00000002", NODE, disk);
    store.create(second);
    Awaiting.until(store, Replica.KIND, second.name(), r -> r.status().provisioned());
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    Awaiting.until(
        store, Engine.KIND, ENGINE, e -> e.status().currentState() == InstanceState.RUNNING);
    engine.volume(VolumeResources.VOLUME).orElseThrow().dropReplica(second.name());
    Replica dropped =
        Awaiting.until(
            store,
            Replica.KIND,
            second.name(),
            r -> r.status().currentState() == InstanceState.ERROR);
    assertThat(dropped.status().mode()).isEqualTo(ReplicaMode.ERR);
  }

  private void makeCopy(Optional<InitialContentSource> source) throws Exception {
    source.ifPresent(node.contents::addSource);
    store.create(
        Volume.of(
            VolumeResources.VOLUME,
            VolumeSpec.EMPTY
                .withSize(VolumeResources.SIZE)
                .withCloneMode(CloneMode.FULL_COPY)
                .withCloneSource(Optional.of(new CloneSource("from", "first")))));
    store.create(VolumeResources.replica(NAME, NODE, disk));
  }

  private static InitialContentSource source(InitialContentState content) {
    return new InitialContentSource() {
      @Override
      public boolean supplies(Volume volume) {
        return volume.spec().cloneSource().isPresent();
      }

      @Override
      public InitialContentState provide(
          Volume volume,
          Replica replica,
          EngineProvider by,
          boolean made,
          ReconcileContext context) {
        return content;
      }
    };
  }

  @Test
  void replicaWaitsWhileTheSourceOfItsContentIsNotInstalled() throws Exception {
    makeCopy(Optional.empty());
    ReplicaStatus waiting =
        untilReason(Replica.PROVISIONED_CONDITION, Replica.WAITS_FOR_CONTENT_REASON);
    assertThat(
            Condition.find(waiting.conditions(), Replica.PROVISIONED_CONDITION)
                .orElseThrow()
                .message())
        .contains("install dev.holdfast.clone");
    assertThat(waiting.provisioned()).isFalse();
    assertThat(disks.replicas()).isEmpty();
    node.contents.addSource(source(new InitialContentState.Later()));
    untilReason(Replica.PROVISIONED_CONDITION, Replica.PROVISIONED_CONDITION);
    assertThat(disks.replicas()).containsExactly(NAME);
  }

  @Test
  void replicaThatWasMadeNeedsNoSourceOfItsContent() throws Exception {
    InitialContentSource source = source(new InitialContentState.Later());
    makeCopy(Optional.of(source));
    untilReason(Replica.PROVISIONED_CONDITION, Replica.PROVISIONED_CONDITION);
    restart();
    Replica replica = store.get(Replica.KIND, NAME).orElseThrow();
    store.update(replica.withSpec(replica.spec().withDesireState(DesireState.STOPPED)));
    Replica stopped =
        Awaiting.until(
            store, Replica.KIND, NAME, r -> r.status().currentState() == InstanceState.STOPPED);
    assertThat(stopped.status().provisioned()).isTrue();
    assertThat(Condition.find(stopped.status().conditions(), ReplicaStatuses.READY))
        .get()
        .extracting(Condition::status)
        .isEqualTo(Condition.Status.TRUE);
  }

  @Test
  void replicaWaitsForItsSourceWithTheReason() throws Exception {
    makeCopy(Optional.of(source(new InitialContentState.Awaited("not yet", ReplicaLink.NONE))));
    ReplicaStatus waiting =
        untilReason(Replica.PROVISIONED_CONDITION, Replica.WAITS_FOR_CONTENT_REASON);
    assertThat(waiting.provisioned()).isFalse();
    assertThat(disks.replicas()).isEmpty();
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
        store.create(
            Volume.of(VolumeResources.VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE)));
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

  @Test
  void deletedReplicaKeepsItsDataWhileItsDeletedVolumeIsKept() throws Exception {
    DeletedVolume kept =
        store.create(
            DeletedVolume.of(
                VolumeResources.VOLUME,
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withDeletedAt(Optional.of(Instant.EPOCH))
                    .withPurgeAt(Optional.of(Instant.parse("2100-01-01T00:00:00Z")))));
    kept = store.updateStatus(kept.withStatus(kept.status().withState(DeletedVolumeState.KEPT)));
    make();
    store.delete(Replica.KIND, NAME, "");
    untilReason(ReplicaStatuses.DELETING, "VolumeNeedsReplica");
    assertThat(disks.replicas()).containsExactly(NAME);
    store.updateStatus(kept.withStatus(kept.status().withState(DeletedVolumeState.PURGING)));
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
    store.create(VolumeResources.replica("vol-r-00000002", "node-2", disk));
    make();
    assertThat(disks.replicas()).containsExactly(NAME);
    assertThat(store.get(Replica.KIND, "vol-r-00000002").orElseThrow().status())
        .isEqualTo(ReplicaStatus.EMPTY);
  }
}
