package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Condition.Status;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.FailedShareNode;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeSelectionTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final ShareManager SHARE =
      ShareManager.of(ShareManagerSpec.EMPTY.withVolume("films"));
  private static final Volume VOLUME =
      Volume.of(
          "films",
          VolumeSpec.EMPTY
              .withSize(Quantity.parse("1Gi"))
              .withAccessMode(AccessMode.READ_WRITE_MANY));

  private static Node node(String name) {
    Node node = Node.of(name, NodeSpec.EMPTY);
    return node.withStatus(
        node.status()
            .withConditions(
                List.of(
                    condition(Condition.READY, Status.TRUE, ""),
                    condition(ShareManager.NODE_CONDITION, Status.TRUE, ""))));
  }

  private static Condition condition(String type, Status status, String message) {
    return new Condition(type, status, "R", message, Instant.EPOCH);
  }

  private static Node without(String name, String condition, String message) {
    Node node = node(name);
    List<Condition> conditions =
        Condition.with(
            node.status().conditions(), condition, Status.FALSE, "R", message, Instant.EPOCH);
    return node.withStatus(node.status().withConditions(conditions));
  }

  private static Replica replicaOn(String node) {
    return Replica.of(
        "films-r-1", ReplicaSpec.EMPTY.withVolume("films").withNodeID(node).withDiskID("d"));
  }

  private static NodeChoice choose(ShareManager share, Volume volume, Node... nodes) {
    return new NodeSelection(share, volume, List.of(nodes), List.of(), Map.of(), Set.of(), LONG)
        .choose();
  }

  private static ShareManager failed(String node, int count) {
    FailedShareNode failure =
        new FailedShareNode(node, Optional.of(Instant.EPOCH), count, "ServerDead");
    return SHARE.withStatus(SHARE.status().withFailedNodes(List.of(failure)));
  }

  @Test
  void nodesThatCannotServeAreNotChosen() {
    Node cordoned = node("n1").withSpec(NodeSpec.EMPTY.withAllowScheduling(false));
    Node emptied = node("n1").withSpec(NodeSpec.EMPTY.withEvictionRequested(true));
    Node silent = without("n1", Condition.READY, "");
    Node lacking = without("n1", ShareManager.NODE_CONDITION, "apt-get install nfs-ganesha");

    for (Node unable : List.of(cordoned, emptied, silent, lacking)) {
      assertThat(choose(SHARE, VOLUME, unable).node()).isEmpty();
      assertThat(choose(SHARE, VOLUME, unable, node("n2"))).isEqualTo(NodeChoice.of("n2"));
    }
    assertThat(choose(SHARE, VOLUME, cordoned, lacking).why())
        .isEqualTo("node n1: apt-get install nfs-ganesha; node n1: cordoned");
    assertThat(choose(SHARE, VOLUME).why()).isEqualTo("the cluster has no node");
  }

  @Test
  void tagsOfTheShareAreRequired() {
    ShareManager tagged = SHARE.withSpec(SHARE.spec().withNodeSelector(List.of("nfs")));
    Node able = node("n2").withSpec(NodeSpec.EMPTY.withTags(List.of("nfs", "ssd")));

    assertThat(choose(tagged, VOLUME, node("n1"), able)).isEqualTo(NodeChoice.of("n2"));
    assertThat(choose(tagged, VOLUME, node("n1")).why()).contains("lacks a tag");
  }

  @Test
  void nodeOfTheVolumeComesBeforeReplicasLoadAndName() {
    Volume attached = VOLUME.withSpec(VOLUME.spec().withNodeID("n3"));
    List<Node> nodes = List.of(node("n1"), node("n2"), node("n3"));
    List<Replica> replicas = List.of(replicaOn("n2"));

    assertThat(
            new NodeSelection(SHARE, attached, nodes, replicas, Map.of(), Set.of(), LONG).choose())
        .isEqualTo(NodeChoice.of("n3"));
    assertThat(
            new NodeSelection(SHARE, VOLUME, nodes, replicas, Map.of("n2", 5), Set.of(), LONG)
                .choose())
        .isEqualTo(NodeChoice.of("n2"));
    assertThat(
            new NodeSelection(SHARE, VOLUME, nodes, List.of(), Map.of("n1", 1), Set.of(), LONG)
                .choose())
        .isEqualTo(NodeChoice.of("n2"));
    assertThat(
            new NodeSelection(SHARE, VOLUME, nodes, List.of(), Map.of(), Set.of(), LONG).choose())
        .isEqualTo(NodeChoice.of("n1"));
  }

  @Test
  void strictlyLocalVolumeStaysWithItsReplica() {
    Volume local = VOLUME.withSpec(VOLUME.spec().withDataLocality(DataLocality.STRICT_LOCAL));
    List<Replica> replicas = List.of(replicaOn("n2"));

    assertThat(
            new NodeSelection(
                    SHARE,
                    local,
                    List.of(node("n1"), node("n2")),
                    replicas,
                    Map.of(),
                    Set.of(),
                    LONG)
                .choose())
        .isEqualTo(NodeChoice.of("n2"));
    assertThat(
            new NodeSelection(SHARE, local, List.of(node("n1")), replicas, Map.of(), Set.of(), LONG)
                .choose()
                .node())
        .isEmpty();
  }

  @Test
  void nodeThatFailedComesLastAndAfterAPause() {
    assertThat(choose(failed("n1", 1), VOLUME, node("n1"), node("n2")))
        .isEqualTo(NodeChoice.of("n2"));
    NodeSelection alone =
        new NodeSelection(
            failed("n1", 2),
            VOLUME,
            List.of(node("n1")),
            List.of(),
            Map.of(),
            Set.of(),
            Duration.ZERO);

    assertThat(alone.choose().why()).contains("tries again within 10 s");
    assertThat(choose(failed("n1", 2), VOLUME, node("n1"))).isEqualTo(NodeChoice.of("n1"));
    assertThat(NodeSelection.pauseAfter(1)).isEqualTo(Duration.ofSeconds(5));
    assertThat(NodeSelection.pauseAfter(100)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void sharesWithOnePortRunOnDifferentNodes() {
    ShareManager here = with("films", 7000, "");
    ShareManager other = with("music", 7000, "n1");
    List<ShareManager> all = List.of(here, other, with("texts", 7001, "n2"));
    Set<String> occupied = SharePorts.occupied(here, all);

    assertThat(select(here, occupied, node("n1"), node("n2"))).isEqualTo(NodeChoice.of("n2"));
    assertThat(select(here, occupied, node("n1")).why())
        .isEqualTo("node n1: another share there has port 7000: set spec.port of one");
    assertThat(SharePorts.occupied(other, all)).isEmpty();
  }

  @Test
  void portIsReservedUntilTheStoreHasIt() throws Exception {
    SharePorts ports = new SharePorts();
    List<ShareManager> stored = new ArrayList<>(List.of(with("a", 20_490, "")));

    assertThat(ports.choose(with("b", 0, ""), () -> stored)).isEqualTo(20_491);
    assertThat(ports.choose(with("b", 0, ""), () -> stored)).as("again").isEqualTo(20_491);
    assertThat(ports.choose(with("c", 0, ""), () -> stored)).isEqualTo(20_492);
    ports.release("b");
    assertThat(ports.choose(with("d", 0, ""), () -> stored)).isEqualTo(20_491);
    ports.release("d");
    Iterator<List<ShareManager>> looks = List.of(stored, List.of(with("e", 20_491, ""))).iterator();
    assertThat(ports.choose(with("f", 0, ""), () -> looks.hasNext() ? looks.next() : stored))
        .as("recorded between the two looks")
        .isEqualTo(20_493);
  }

  private static ShareManager with(String name, int port, String node) {
    ShareManager share = ShareManager.of(ShareManagerSpec.EMPTY.withVolume(name).withPort(port));
    return share.withStatus(share.status().withNodeID(node));
  }

  private static NodeChoice select(ShareManager share, Set<String> occupied, Node... nodes) {
    return new NodeSelection(share, VOLUME, List.of(nodes), List.of(), Map.of(), occupied, LONG)
        .choose();
  }
}
