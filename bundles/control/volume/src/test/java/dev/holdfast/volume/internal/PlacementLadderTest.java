package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice of the next node, rule by rule, and the effects of volumes and settings on it. */
class PlacementLadderTest {
  private static final List<Node> NODES =
      List.of(
          Cluster.inZone(Cluster.node("a1", 2), "a"),
          Cluster.inZone(Cluster.node("a2", 2), "a"),
          Cluster.inZone(Cluster.node("b1", 2), "b"));

  private static SchedulerSettings settings(boolean node, boolean zone, boolean disk) {
    return new SchedulerSettings(node, zone, disk, true, true, 200, 10);
  }

  private static Replica at(String node, String disk) {
    return Replica.of(
        "v-" + node + "-" + disk,
        ReplicaSpec.EMPTY
            .withVolume("v")
            .withNodeID(node)
            .withDiskID(disk)
            .withSize(Quantity.parse("1Gi")));
  }

  private static List<Replica> at(String nodes) {
    List<Replica> replicas = new ArrayList<>();
    for (String node : nodes.isEmpty() ? new String[0] : nodes.split(" ")) {
      long there = replicas.stream().filter(r -> r.spec().nodeID().equals(node)).count();
      replicas.add(at(node, "disk-" + (there + 1)));
    }
    return replicas;
  }

  private static Node change(Node node, UnaryOperator<DiskSpec> disks) {
    Map<String, DiskSpec> changed = new LinkedHashMap<>();
    node.spec().disks().forEach((id, disk) -> changed.put(id, disks.apply(disk)));
    return node.withSpec(node.spec().withDisks(changed));
  }

  private static Node evicted(Node node) {
    return node.withSpec(node.spec().withEvictionRequested(true));
  }

  private static String next(
      SchedulerSettings settings, List<Node> nodes, Volume volume, List<Replica> existing) {
    Placement placement =
        new ReplicaScheduler(settings, NodeInventory.of(nodes), volume, existing)
            .place(Placement.Wanted.copies(1));
    return placement.isComplete() ? placement.targets().get(0).nodeID() : "none";
  }

  @ParameterizedTest(name = "replicas on \"{0}\", node soft {1}, zone soft {2}: {3}")
  @CsvSource({
    "'', true, true, a1",
    "a1, true, true, b1",
    "a1, false, false, b1",
    "a1 b1, true, true, a2",
    "a1 b1, false, true, a2",
    "a1 b1, false, false, none",
    "a1 b1, true, false, none",
    "a1 a2 b1, false, true, none",
    "a1 a2 b1, true, true, b1",
    "a1 a2 b1 b1, true, true, a1",
  })
  void theNextNodeIsTheOneThatSpreadsMost(
      String existing, boolean node, boolean zone, String expected) {
    assertThat(next(settings(node, zone, false), NODES, Cluster.volume("v"), at(existing)))
        .isEqualTo(expected);
  }

  @Test
  void placesThatBecomeFreeComeAfterFreeOnes() {
    // The replica on a1 must leave its disk, and a1 has another disk.
    Node leaving =
        change(NODES.get(0), disk -> disk.withEvictionRequested(disk.path().endsWith("1")));
    List<Node> nodes = List.of(leaving, NODES.get(2));
    assertThat(next(settings(false, false, false), nodes, Cluster.volume("v"), at("a1")))
        .isEqualTo("b1");
    assertThat(next(settings(false, false, false), nodes, Cluster.volume("v"), at("a1 b1")))
        .isEqualTo("a1");
  }

  @Test
  void nothingIsPlacedWhereReplicasShallLeave() {
    List<Node> nodes = List.of(evicted(NODES.get(0)), evicted(NODES.get(2)));
    assertThat(next(settings(true, true, true), nodes, Cluster.volume("v"), List.of()))
        .isEqualTo("none");
  }

  @Test
  void failedReplicaDoesNotBlockItsNode() {
    Replica failed = at("a1", "disk-1");
    Replica marked = failed.withSpec(failed.spec().withFailedAt(Optional.of(Instant.EPOCH)));
    assertThat(
            next(
                settings(false, false, false),
                List.of(NODES.get(0)),
                Cluster.volume("v"),
                List.of(marked)))
        .isEqualTo("a1");
  }

  @Test
  void replicaOnASilentNodeKeepsItsPlace() {
    Node silent = NODES.get(0).withStatus(NODES.get(0).status().withConditions(List.of()));
    assertThat(
            next(
                settings(false, false, false),
                List.of(silent, NODES.get(1)),
                Cluster.volume("v"),
                at("a1")))
        .as("a2 is in the zone of a1")
        .isEqualTo("none");
  }

  @Test
  void aVolumesOwnWordGoesBeforeTheSettings() {
    Volume strict =
        Cluster.volume("v")
            .withSpec(
                Cluster.volume("v")
                    .spec()
                    .withReplicaSoftAntiAffinity(SettingOverride.DISABLED)
                    .withReplicaZoneSoftAntiAffinity(SettingOverride.DISABLED));
    assertThat(next(settings(true, true, true), NODES, strict, at("a1 b1"))).isEqualTo("none");
    Volume lenient =
        strict.withSpec(strict.spec().withReplicaZoneSoftAntiAffinity(SettingOverride.ENABLED));
    assertThat(next(settings(true, false, true), NODES, lenient, at("a1 b1"))).isEqualTo("a2");
  }

  @ParameterizedTest(name = "{0}, used on {1}, replicas on \"{2}\": {3}")
  @CsvSource({
    "BEST_EFFORT, a2, '', a2",
    "BEST_EFFORT, a2, a1, a2",
    "BEST_EFFORT, a1, a1, b1",
    "DISABLED, a2, '', a1",
    "STRICT_LOCAL, b1, '', b1",
    "STRICT_LOCAL, c1, '', none",
  })
  void dataIsPutWhereItIsUsedWhenThatIsWanted(
      DataLocality locality, String user, String existing, String expected) {
    Volume volume = Cluster.volume("v");
    Volume used = volume.withSpec(volume.spec().withDataLocality(locality).withNodeID(user));
    assertThat(next(settings(true, true, false), NODES, used, at(existing))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}, made for {1}, used on \"{2}\": {3}")
  @CsvSource({
    "BEST_EFFORT, a2, '', a2",
    "STRICT_LOCAL, b1, '', b1",
    "STRICT_LOCAL, c1, '', a1",
    "STRICT_LOCAL, b1, a2, a2",
    "DISABLED, b1, '', a1",
  })
  void dataIsPutWhereItsFirstUserWillBe(
      DataLocality locality, String expected, String user, String placed) {
    Volume volume = Cluster.volume("v");
    Volume made =
        volume
            .withSpec(volume.spec().withDataLocality(locality).withNodeID(user))
            .withMetadata(
                volume.metadata().withAnnotations(Map.of(ReplicaScheduler.EXPECTED_ON, expected)));
    assertThat(next(settings(true, true, false), NODES, made, List.of())).isEqualTo(placed);
  }

  @Test
  void tagsAreAskedForAndAreKeptFreeWhenTheSettingSaysSo() {
    Node tagged = NODES.get(0).withSpec(NODES.get(0).spec().withTags(List.of("fast")));
    List<Node> nodes = List.of(tagged, NODES.get(2));
    Volume fast = Cluster.volume("v");
    fast = fast.withSpec(fast.spec().withNodeSelector(List.of("fast")));
    assertThat(next(settings(true, true, false), nodes, fast, at("a1"))).isEqualTo("a1");
    SchedulerSettings keepingFree = new SchedulerSettings(true, true, false, false, true, 200, 10);
    assertThat(next(keepingFree, nodes, Cluster.volume("v"), at("b1"))).isEqualTo("b1");
  }

  @Test
  void aCopyNeedsTheSpaceThatItTakes() {
    Node small = Cluster.node("n1", 1, Quantity.parse("100Gi"), Quantity.parse("30Gi"));
    Volume big = Cluster.volume("v");
    Volume full = big.withStatus(big.status().withActualSize(Quantity.parse("25Gi")));
    assertThat(next(settings(true, true, false), List.of(small), big, List.of())).isEqualTo("n1");
    assertThat(next(settings(true, true, false), List.of(small), full, List.of()))
        .isEqualTo("none");
  }

  @Test
  void anEngineThatReachesOnlyItsOwnNodeGetsAllReplicasThere() {
    List<Node> nodes = new ArrayList<>();
    for (Node node : List.of(Cluster.node("n1", 2), Cluster.node("n2", 3))) {
      nodes.add(
          node.withStatus(
              node.status().withEngineCapabilities(Map.of("sparse", List.of("DURABLE")))));
    }
    Placement placement =
        new ReplicaScheduler(
                settings(true, true, false),
                NodeInventory.of(nodes),
                Cluster.volume("v"),
                List.of())
            .place(Placement.Wanted.copies(3));
    assertThat(placement.targets()).extracting(Placement.Target::nodeID).containsOnly("n2");
    Placement elsewhere =
        new ReplicaScheduler(
                settings(true, true, false),
                NodeInventory.of(nodes),
                Cluster.volume("v"),
                List.of(at("n1", "disk-1")))
            .place(Placement.Wanted.copies(1));
    assertThat(elsewhere.targets()).extracting(Placement.Target::nodeID).containsExactly("n1");
  }

  @Test
  void aWitnessGoesToANodeOfItsOwnAndTakesNoSpace() {
    Volume volume = Cluster.volume("v");
    Placement placement =
        new ReplicaScheduler(
                settings(true, true, false), NodeInventory.of(NODES), volume, List.of())
            .place(new Placement.Wanted(2, true));
    assertThat(placement.targets())
        .extracting(Placement.Target::nodeID)
        .containsExactly("a1", "b1", "a2");
    Placement refused =
        new ReplicaScheduler(
                settings(true, true, false),
                NodeInventory.of(NODES.subList(1, 3)),
                volume,
                List.of())
            .place(new Placement.Wanted(2, true));
    assertThat(refused.reason()).isEqualTo("NoNodeForWitness");
    assertThat(refused.targets()).isEmpty();
  }

  @Property(tries = 300)
  void hardRulesAreNeverBrokenAndWhatIsRefusedCouldNotBePlaced(
      @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 0, max = 2) Integer> zones,
      @ForAll @IntRange(min = 1, max = 6) int count,
      @ForAll boolean node,
      @ForAll boolean zone,
      @ForAll boolean disk) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < zones.size(); i++) {
      Node made = Cluster.node("n" + i, 2);
      nodes.add(zones.get(i) == 0 ? made : Cluster.inZone(made, "z" + zones.get(i)));
    }
    Placement placement =
        new ReplicaScheduler(
                settings(node, zone, disk), NodeInventory.of(nodes), Cluster.volume("v"), List.of())
            .place(Placement.Wanted.copies(count));
    NodeInventory all = NodeInventory.of(nodes);
    List<String> used = placement.targets().stream().map(Placement.Target::nodeID).toList();
    if (!node) {
      assertThat(used).doesNotHaveDuplicates();
    }
    if (!zone) {
      assertThat(used.stream().map(all::zone).filter(z -> !z.isEmpty())).doesNotHaveDuplicates();
    }
    if (!disk) {
      Set<Placement.Target> distinct = new HashSet<>(placement.targets());
      assertThat(distinct).hasSize(placement.targets().size());
    }
    if (node && zone) {
      int room = disk ? Integer.MAX_VALUE : 2 * nodes.size();
      assertThat(placement.isComplete()).isEqualTo(count <= room);
    }
    if (!node && zone) {
      assertThat(placement.isComplete()).isEqualTo(count <= nodes.size());
    }
    assertThat(placement.isComplete()).isEqualTo(placement.message().isEmpty());
  }

  /** Each node has two disks; the copy is on the second one of b1. */
  @Test
  void diskWithTheImageComesFirstAmongEquals() {
    List<Node> nodes = new ArrayList<>();
    for (String name : List.of("b1", "b2")) {
      Node node = Cluster.node(name, 2);
      Map<String, DiskStatus> disks = new LinkedHashMap<>();
      node.status()
          .diskStatus()
          .forEach((id, status) -> disks.put(id, status.withDiskUUID(name + "-" + id)));
      nodes.add(node.withStatus(node.status().withDiskStatus(disks)));
    }
    Placement placement =
        new ReplicaScheduler(
                settings(true, true, false),
                new NodeInventory(nodes, Set.of("b1-disk-2")),
                Cluster.volume("v"),
                List.of())
            .place(Placement.Wanted.copies(2));

    assertThat(placement.targets())
        .extracting(target -> target.nodeID() + "/" + target.diskID())
        .first()
        .isEqualTo("b1/disk-2");
    assertThat(placement.targets()).extracting(Placement.Target::nodeID).contains("b1", "b2");
  }
}
