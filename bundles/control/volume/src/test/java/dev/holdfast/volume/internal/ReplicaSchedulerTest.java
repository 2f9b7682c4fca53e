package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReplicaSchedulerTest {
  private static final SchedulerSettings SETTINGS = SchedulerSettings.DEFAULT;

  private static Placement place(List<Node> nodes, Volume volume, List<Replica> existing) {
    return place(SETTINGS, nodes, volume, existing);
  }

  private static Placement place(
      SchedulerSettings settings, List<Node> nodes, Volume volume, List<Replica> existing) {
    int count = volume.spec().numberOfReplicas();
    return new ReplicaScheduler(settings, NodeInventory.of(nodes), volume, existing)
        .place(Placement.Wanted.copies(count));
  }

  private static Volume volume(int replicas, String size) {
    Volume volume = Cluster.volume("v");
    return volume.withSpec(
        volume.spec().withNumberOfReplicas(replicas).withSize(Quantity.parse(size)));
  }

  @Test
  void threeReplicasGoToThreeDisksOfOneNode() {
    Placement placement = place(List.of(Cluster.node("n1", 3)), volume(3, "1Gi"), List.of());
    assertThat(placement.targets())
        .extracting(Placement.Target::diskID)
        .containsExactlyInAnyOrder("disk-1", "disk-2", "disk-3");
  }

  @Test
  void differentNodesComeBeforeDifferentDisks() {
    List<Node> nodes = List.of(Cluster.node("n1", 3), Cluster.node("n2", 1), Cluster.node("n3", 1));
    assertThat(place(nodes, volume(3, "1Gi"), List.of()).targets())
        .extracting(Placement.Target::nodeID)
        .containsExactlyInAnyOrder("n1", "n2", "n3");
  }

  @Test
  void twoReplicasAreNeverPutOnOneDiskUnlessASettingSaysSo() {
    List<Node> nodes = List.of(Cluster.node("n1", 2));
    Placement refused = place(nodes, volume(3, "1Gi"), List.of());
    assertThat(refused.targets()).isEmpty();
    assertThat(refused.reason()).isEqualTo("TooFewDisks");
    assertThat(refused.message()).contains("3 replicas").contains("n1/disk-1");
    SchedulerSettings soft = new SchedulerSettings(true, true, true, true, true, 200, 10);
    assertThat(place(soft, nodes, volume(3, "1Gi"), List.of()).targets()).hasSize(3);
  }

  @Test
  void aNearlyFullDiskIsRefusedWithWhatIsMissing() {
    Node full = Cluster.node("n1", 3, Quantity.parse("100Gi"), Quantity.parse("9Gi"));
    Placement placement = place(List.of(full), volume(3, "1Gi"), List.of());
    assertThat(placement.reason()).isEqualTo("NoDisk");
    assertThat(placement.message())
        .contains("only 9Gi are free")
        .contains("disks n1/disk-1, n1/disk-2, n1/disk-3: only")
        .contains("10 %");
  }

  @Test
  void noMoreIsPromisedThanTheSettingAllows() {
    Node node = Cluster.node("n1", 1, Quantity.parse("10Gi"), Quantity.parse("10Gi"));
    Volume volume = volume(1, "1Gi");
    assertThat(place(List.of(node), volume, List.of(replica("other", "n1", "disk-1", "19Gi"))))
        .extracting(Placement::isComplete)
        .isEqualTo(true);
    Placement full =
        place(List.of(node), volume, List.of(replica("other", "n1", "disk-1", "20Gi")));
    assertThat(full.reason()).isEqualTo("InsufficientStorage");
    assertThat(full.message()).contains("storage-over-provisioning-percentage 200");
  }

  /** The space of a filesystem counts once for its five directories. */
  @Test
  void disksOnOneFilesystemShareWhatMayBePromised() {
    Node node = Cluster.node("n1", 5, Quantity.parse("10Gi"), Quantity.parse("10Gi"));
    Node shared = onFilesystem(node, "ext4 UUID=6f2c0000-0000-4000-8000-000000000001");
    List<Replica> existing = List.of(replica("other", "n1", "disk-1", "18Gi"));

    assertThat(place(List.of(shared), volume(2, "1Gi"), existing).isComplete()).isTrue();
    Placement full = place(List.of(shared), volume(3, "1Gi"), existing);
    assertThat(full.reason()).isEqualTo("InsufficientStorage");
    assertThat(place(List.of(node), volume(3, "1Gi"), existing).isComplete()).isTrue();
    assertThat(
            place(List.of(onFilesystem(node, "tmpfs tmpfs")), volume(3, "1Gi"), existing)
                .isComplete())
        .isTrue();
  }

  private static Node onFilesystem(Node node, String filesystem) {
    Map<String, DiskStatus> disks = new TreeMap<>(node.status().diskStatus());
    disks.replaceAll((id, status) -> status.withFilesystem(filesystem));
    return node.withStatus(node.status().withDiskStatus(disks));
  }

  @Test
  void sizesAreShownWithThreeDigits() {
    assertThat(DiskFilter.shown(BigInteger.valueOf(943_718_400L).shiftLeft(20))).isEqualTo("900Ti");
    assertThat(DiskFilter.shown(BigInteger.valueOf(9_600_000_000L))).isEqualTo("8.94Gi");
    assertThat(DiskFilter.shown(BigInteger.valueOf(1023))).isEqualTo("1020");
    assertThat(DiskFilter.shown(BigInteger.ZERO)).isEqualTo("0");
  }

  @Test
  void sizesNearTheLargestNumberDoNotOverflow() {
    Node node = Cluster.node("n1", 3, Quantity.parse("7Ei"), Quantity.parse("7Ei"));
    assertThat(place(List.of(node), volume(1, "7Ei"), List.of()).isComplete()).isTrue();
  }

  private static Replica replica(String volume, String node, String disk, String size) {
    return Replica.of(
        volume + "-" + node + "-" + disk,
        ReplicaSpec.EMPTY
            .withVolume(volume)
            .withNodeID(node)
            .withDiskID(disk)
            .withSize(Quantity.parse(size)));
  }

  @Property(tries = 300)
  void aPlacementIsSpreadAsWidelyAsTheNodesAllow(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(max = 4) Integer> disks,
      @ForAll @IntRange(min = 1, max = 8) int replicas) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < disks.size(); i++) {
      nodes.add(Cluster.node("n" + i, disks.get(i)));
    }
    Placement placement = place(nodes, volume(replicas, "1Gi"), List.of());
    int all = disks.stream().mapToInt(Integer::intValue).sum();
    assertThat(placement.isComplete()).isEqualTo(all >= replicas);
    if (placement.isComplete()) {
      Set<Placement.Target> distinct = new HashSet<>(placement.targets());
      assertThat(distinct).hasSize(replicas);
      Map<String, Integer> perNode = new TreeMap<>();
      placement.targets().forEach(t -> perNode.merge(t.nodeID(), 1, Integer::sum));
      long usable = disks.stream().filter(count -> count > 0).count();
      assertThat(perNode).hasSize((int) Math.min(usable, replicas));
    } else {
      assertThat(placement.message()).isNotEmpty();
    }
  }
}
