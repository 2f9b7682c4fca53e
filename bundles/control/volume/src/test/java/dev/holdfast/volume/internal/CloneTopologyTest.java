package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Replicas of copies, which may share the content of the source's replicas. */
class CloneTopologyTest {
  private static Views copy(CloneMethod method, String uid) {
    return Views.made(VolumeState.CREATING, "", "").copyOf(method, uid);
  }

  private static VolumeState next(Views views) {
    return views.plan().status().state();
  }

  @Test
  void aLinkedCopyIsMadeWhenAllItsReplicasShareTheSameSnapshot() {
    assertThat(next(copy(CloneMethod.LINK, "s").linked(0, "s").linked(1, "s")))
        .isEqualTo(VolumeState.CREATING);
    assertThat(next(copy(CloneMethod.LINK, "s").linked(0, "s").linked(1, "s").linked(2, "other")))
        .isEqualTo(VolumeState.CREATING);
    assertThat(next(copy(CloneMethod.LINK, "s").linked(0, "s").linked(1, "s").linked(2, "s")))
        .isEqualTo(VolumeState.DETACHING);
  }

  @Test
  void anyOtherCopyIsMadeWhenItsReplicasAreThere() {
    assertThat(next(copy(CloneMethod.COPY, ""))).isEqualTo(VolumeState.DETACHING);
    assertThat(next(copy(CloneMethod.UNDECIDED, ""))).isEqualTo(VolumeState.DETACHING);
  }

  @Test
  void replicasThatHaveToGoAreNotReplacedBeforeItIsDecidedHow() {
    assertThat(copy(CloneMethod.UNLINK, "s").replicas("STOPPED").plan().newReplicas()).isEmpty();
    assertThat(next(copy(CloneMethod.UNLINK, "s").replicas("STOPPED")))
        .isEqualTo(VolumeState.CREATING);
    assertThat(copy(CloneMethod.COPY, "").replicas().plan().newReplicas()).hasSize(3);
  }

  private static Replica ofSource(String node, String disk) {
    String path = "/disks/" + node + "/" + disk.substring(disk.length() - 1);
    return Replica.of(
        "from-" + node + "-" + disk,
        ReplicaSpec.EMPTY
            .withVolume("from")
            .withNodeID(node)
            .withDiskID(disk)
            .withDiskPath(path)
            .withSize(Quantity.parse("10Gi")));
  }

  private static List<Placement.Target> placed(CloneMode mode, int replicas, List<Node> nodes) {
    Volume volume = Cluster.volume("v");
    Volume copy =
        volume.withSpec(
            volume
                .spec()
                .withNumberOfReplicas(replicas)
                .withCloneMode(mode)
                .withCloneSource(Optional.of(new CloneSource("from", ""))));
    List<Replica> existing = List.of(ofSource("n2", "disk-2"), ofSource("n3", "disk-1"));
    return new ReplicaScheduler(SchedulerSettings.DEFAULT, NodeInventory.of(nodes), copy, existing)
        .place(Placement.Wanted.copies(replicas))
        .targets();
  }

  private static List<Node> nodes(String... names) {
    return List.of(names).stream().map(name -> Cluster.node(name, 2)).toList();
  }

  @Test
  void aCopyGoesToTheDisksOfItsSourceThoughOthersHaveMoreRoom() {
    assertThat(placed(CloneMode.LINKED_CLONE, 2, nodes("n1", "n2", "n3")))
        .extracting(target -> target.nodeID() + "/" + target.diskID())
        .containsExactlyInAnyOrder("n2/disk-2", "n3/disk-1");
    assertThat(placed(CloneMode.FULL_COPY, 2, nodes("n1", "n2", "n3")))
        .extracting(target -> target.nodeID() + "/" + target.diskID())
        .doesNotContain("n2/disk-2", "n3/disk-1");
  }

  @Test
  void spreadingACopyGoesBeforeItsSourcesDisks() {
    assertThat(placed(CloneMode.LINKED_CLONE, 3, nodes("n1", "n2", "n3")))
        .extracting(Placement.Target::nodeID)
        .containsExactlyInAnyOrder("n1", "n2", "n3");
  }
}
