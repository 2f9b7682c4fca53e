package dev.holdfast.volume.internal;

import static dev.holdfast.volume.internal.SharedNodes.ENGINE;
import static dev.holdfast.volume.internal.SharedNodes.UUID;
import static dev.holdfast.volume.internal.SharedNodes.declaring;
import static dev.holdfast.volume.internal.SharedNodes.node;
import static dev.holdfast.volume.internal.SharedNodes.silent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes of an engine that keeps one replica on a disk that several nodes share. */
class SharedDiskTest {
  private static final List<Node> NODES = List.of(node("n1"), node("n2"), node("n3"));

  private static Volume volume(String engine, String size) {
    Volume volume = Cluster.volume("v");
    return volume.withSpec(volume.spec().withDataEngine(engine).withSize(Quantity.parse(size)));
  }

  private static Replica of(String volume, String size) {
    return Replica.of(
        volume + "-r",
        ReplicaSpec.EMPTY
            .withVolume(volume)
            .withDataEngine(ENGINE)
            .withDataDirectoryName(volume + "-r")
            .withSize(Quantity.parse(size))
            .withDiskUUID(UUID));
  }

  private static Placement place(Volume volume, Replica... existing) {
    return new ReplicaScheduler(
            SchedulerSettings.DEFAULT, NodeInventory.of(NODES), volume, List.of(existing))
        .place(Placement.Wanted.copies(1));
  }

  @Test
  void aReplicaOnASharedDiskHasNoNode() {
    assertThat(place(volume(ENGINE, "1Gi")).targets())
        .containsExactly(Placement.Target.shared(UUID));
  }

  @Test
  void oneIdentityOnSeveralNodesIsPromisedOnce() {
    assertThat(place(volume(ENGINE, "4Gi"), of("a", "6Gi")).isComplete()).isTrue();
    Placement full = place(volume(ENGINE, "5Gi"), of("a", "6Gi"));
    assertThat(full.reason()).isEqualTo("InsufficientStorage");
    assertThat(full.message()).contains("4Gi can still be allocated on it by its engine");
  }

  @Test
  void anEngineIsNotOfferedADiskOfAKindThatItDoesNotDeclare() {
    Placement placement = place(volume("sparse", "1Gi"));
    assertThat(placement.reason()).isEqualTo("NoDisk");
    assertThat(placement.message())
        .contains(
            "engine sparse does not support disks of its type, a volume-group that engine "
                + "pool uses");
  }

  @Test
  void aDiskThatOneNodeReservesTakesNoReplicaThroughAnother() {
    Node closed =
        node("n2")
            .withSpec(
                NodeSpec.EMPTY.withDisks(
                    Map.of(
                        "disk-of-n2",
                        DiskSpec.EMPTY
                            .withPath("/dev/pool")
                            .withType(DiskType.VOLUME_GROUP)
                            .withAllowScheduling(false))));
    Placement placement =
        new ReplicaScheduler(
                SchedulerSettings.DEFAULT,
                NodeInventory.of(List.of(node("n1"), closed)),
                volume(ENGINE, "1Gi"),
                List.of())
            .place(Placement.Wanted.copies(1));
    assertThat(placement.message()).contains("n1/disk-of-n1: node n2");
  }

  private static Views views(VolumeState state, String wanted, String current) {
    return Views.made(state, wanted, current).ofEngine(ENGINE).sharedReplica(UUID);
  }

  private static VolumePlan plan(Views views, Node... nodes) {
    return new VolumePlanner().next(views.on(List.of(nodes)));
  }

  @Test
  void aNewVolumeGetsOneReplicaWhateverItsNumberIs() {
    VolumePlan plan = new VolumePlanner().next(Views.fresh().ofEngine(ENGINE).on(NODES));
    assertThat(plan.newReplicas())
        .singleElement()
        .satisfies(
            replica -> {
              assertThat(replica.spec().diskUUID()).isEqualTo(UUID);
              assertThat(replica.spec().nodeID()).isEmpty();
              assertThat(replica.spec().diskID()).isEmpty();
            });
  }

  @Test
  void oneCurrentReplicaIsHealthy() {
    VolumePlan plan =
        plan(
            views(VolumeState.ATTACHED, "n1", "n1")
                .owned("n1", InstanceState.RUNNING)
                .engine("RUNNING", "n1", "RUNNING")
                .modes(Map.of("r1", ReplicaMode.RW)),
            node("n1"),
            node("n2"));
    assertThat(plan.status().robustness()).isEqualTo(Robustness.HEALTHY);
    assertThat(Condition.find(plan.status().conditions(), VolumeConditions.REPLICAS_COMPLETE))
        .as("a complaint about the number of replicas")
        .isEmpty();
    assertThat(plan.newReplicas()).isEmpty();
  }

  @Test
  void anOwnerIsChosenAndStaysWhileItSeesTheDisk() {
    assertThat(plan(views(VolumeState.DETACHED, "", ""), node("n1"), node("n2")).owners())
        .extracting(replica -> replica.status().ownerID())
        .containsExactly("n1");
    Views owned = views(VolumeState.DETACHED, "", "").owned("n2", InstanceState.STOPPED);
    assertThat(plan(owned, node("n1"), node("n2")).owners()).isEmpty();
  }

  @Test
  void anotherOwnerIsChosenWhenItsNodeIsSilentOrRemoved() {
    Views owned = views(VolumeState.DETACHED, "", "").owned("n1", InstanceState.STOPPED);
    assertThat(plan(owned, silent("n1"), node("n2")).owners())
        .extracting(replica -> replica.status().ownerID())
        .containsExactly("n2");
    assertThat(plan(owned, node("n2")).owners())
        .extracting(replica -> replica.status().ownerID())
        .containsExactly("n2");
    assertThat(plan(owned, silent("n1"), silent("n2")).owners()).isEmpty();
  }

  @Test
  void aRemovedNodeReleasesNoReplicaOfASharedDisk() {
    Views deleted =
        views(VolumeState.DELETING, "", "").owned("n1", InstanceState.STOPPED).deletedReplica();
    VolumePlan plan = plan(deleted, node("n2"));
    assertThat(plan.released()).isEmpty();
    assertThat(plan.owners()).hasSize(1);
  }

  private static boolean isClosed(Views views, Node... nodes) {
    return VolumeObserver.observe(views.on(List.of(nodes))).closed();
  }

  @Test
  void anOwnerThatIsHeardMustSayThatItsReplicaIsClosed() {
    Views running = views(VolumeState.DETACHING, "", "n1").owned("n1", InstanceState.RUNNING);
    assertThat(isClosed(running, node("n1"), node("n2"))).isFalse();
    Views stopped = views(VolumeState.DETACHING, "", "n1").owned("n1", InstanceState.STOPPED);
    assertThat(isClosed(stopped, node("n1"), node("n2"))).isTrue();
  }

  @Test
  void aSilentOwnerCountsAsClosedByTheDeclaredFencingOnly() {
    Views running = views(VolumeState.DETACHING, "", "n1").owned("n1", InstanceState.RUNNING);
    assertThat(isClosed(running, silent("n1"), node("n2"))).isTrue();
    Node other = declaring(node("n2"), EngineDisks.REPLICAS);
    assertThat(isClosed(running, silent("n1"), other)).isFalse();
    Node unknown = declaring(node("n2"), "SOMETHING_NEWER");
    assertThat(isClosed(running, declaring(silent("n1"), "SOMETHING_NEWER"), unknown)).isFalse();
  }

  @Test
  void aReplicaOnADiskOfOneNodeStaysAsItWas() {
    Replica bound =
        Replica.of("r", ReplicaSpec.EMPTY.withNodeID("n9").withDiskID("d").withDiskPath("/d"));
    NodeInventory nodes = NodeInventory.of(NODES);
    assertThat(nodes.isNodeGone(bound)).isTrue();
    assertThat(nodes.isGivenUp(bound)).isTrue();
    Replica shared = of("a", "1Gi");
    assertThat(nodes.isNodeGone(shared)).isFalse();
    assertThat(nodes.isGivenUp(shared)).isFalse();
    assertThat(nodes.isUsable(shared)).isTrue();
    assertThat(Optional.of(nodes.seeing(shared)).map(List::size)).contains(3);
  }
}
