package dev.holdfast.csi.internal.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Space for new replicas on a disk that several nodes see. */
class DiskRoomTest {
  private static final String ENGINE = "san";
  private static final long GIB = 1L << 30;
  private static final VolumeSpec WANTED = VolumeSpec.EMPTY.withDataEngine(ENGINE);
  private static final List<Condition> READY =
      List.of(new Condition("Ready", Condition.Status.TRUE, "Ready", "", Instant.EPOCH));

  /** A node that sees the disk under a name of its own. */
  private static Node node(String name, String diskUUID, long promisable) {
    DiskStatus disk =
        DiskStatus.EMPTY
            .withConditions(READY)
            .withDiskUUID(diskUUID)
            .withType(DiskType.DEVICE)
            .withEngine(ENGINE)
            .withShared(true)
            .withStorageAvailable(new Quantity(100 * GIB))
            .withStoragePromisable(new Quantity(promisable));
    EngineDisks declared =
        new EngineDisks(List.of(DiskType.DEVICE), EngineDisks.SHARED_DISK, EngineDisks.DISK_LOCK);
    String id = "of-" + name;
    DiskSpec spec = DiskSpec.EMPTY.withPath("/dev/san").withType(DiskType.DEVICE);
    return Node.of(name, NodeSpec.EMPTY.withDisks(Map.of(id, spec)))
        .withStatus(
            NodeStatus.EMPTY
                .withConditions(READY)
                .withEngines(List.of(ENGINE))
                .withEngineDisks(Map.of(ENGINE, declared))
                .withDiskStatus(Map.of(id, disk)));
  }

  private static Replica replica(String name, String diskUUID, boolean witness) {
    return Replica.of(
        name,
        ReplicaSpec.EMPTY
            .withVolume("v")
            .withDataEngine(ENGINE)
            .withDiskUUID(diskUUID)
            .withWitness(witness)
            .withSize(new Quantity(2 * GIB)));
  }

  private static List<Long> room(List<Node> nodes, Replica... replicas) {
    return new DiskRoom(nodes, List.of(replicas)).of(WANTED, nodes);
  }

  @Test
  void diskThatSeveralNodesSeeCountsOnce() {
    List<Node> nodes = List.of(node("a", "uuid-7", 10 * GIB), node("b", "uuid-7", 10 * GIB));
    assertThat(room(nodes)).containsExactly(10 * GIB);
    assertThat(room(List.of(nodes.get(0), node("b", "uuid-8", 10 * GIB))))
        .containsExactly(10 * GIB, 10 * GIB);
  }

  @Test
  void replicasOnASharedDiskAreSubtractedOnceForAnyNode() {
    List<Node> nodes = List.of(node("a", "uuid-7", 10 * GIB), node("b", "uuid-7", 10 * GIB));
    Replica one = replica("r1", "uuid-7", false);
    Replica other = replica("r2", "uuid-8", false);
    Replica witness = replica("r3", "uuid-7", true);
    assertThat(room(nodes, one, other, witness)).containsExactly(8 * GIB);
    assertThat(new DiskRoom(nodes, List.of(one)).of(WANTED, nodes.subList(1, 2)))
        .containsExactly(8 * GIB);
  }

  @Test
  void diskThatIsPromisedAwayHasNoRoom() {
    List<Node> nodes = List.of(node("a", "uuid-7", GIB));
    assertThat(room(nodes, replica("r1", "uuid-7", false))).containsExactly(0L);
  }

  @Test
  void diskOfAnotherEngineCountsNothing() {
    List<Node> nodes = List.of(node("a", "uuid-7", 10 * GIB));
    assertThat(new DiskRoom(nodes, List.of()).of(WANTED.withDataEngine("sparse"), nodes)).isEmpty();
  }
}
