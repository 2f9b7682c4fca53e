package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DisksTest extends StoreTest {
  private static final Optional<String> UNSAID = Optional.empty();

  private static Disks.Request at(String path) {
    return new Disks.Request(Path.of(path), UNSAID, UNSAID, List.of("ssd"));
  }

  @Test
  void addTakesNameFromThePathAndTheOnlyNode() throws Exception {
    Disk disk = disks.add(at("/srv/Fast Disks/./"), PATIENT);

    assertThat(disk.node()).isEqualTo("node-1");
    assertThat(disk.id()).isEqualTo("fast-disks");
    assertThat(disk.spec().path()).isEqualTo("/srv/Fast Disks");
    assertThat(disk.spec().tags()).containsExactly("ssd");
    assertThat(disks.list()).extracting(Disk::id).containsExactly("fast-disks");
  }

  @Test
  void spaceOfDeletedVolumesIsThatOfTheirOwnReplicas() throws Exception {
    disks.add(at("/srv/a"), PATIENT);
    DeletedVolume deleted =
        store.create(
            DeletedVolume.of(
                "demo",
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withActualSize(Quantity.parse("3Gi"))
                    .withDeletedAt(Optional.of(Instant.EPOCH))
                    .withPurgeAt(Optional.of(Instant.EPOCH))));
    ReplicaSpec onDisk =
        ReplicaSpec.EMPTY
            .withVolume("demo")
            .withDataDirectoryName("demo-r")
            .withNodeID("node-1")
            .withDiskID("a")
            .withDiskPath("/srv/a");
    Replica kept = Replica.of("demo-r-1", onDisk);
    store.create(
        kept.withMetadata(
            kept.metadata().withOwnerReferences(List.of(OwnerReference.controller(deleted)))));
    store.create(Replica.of("demo-r-2", onDisk));
    assertThat(disks.list()).extracting(Disk::deleted).containsExactly(Quantity.parse("3Gi"));
  }

  @Test
  void addOfAnUnusableDirectoryReportsWhy() {
    controllers.refuseDisks("/srv/a is not a directory");
    assertFails(ErrorCode.IO, () -> disks.add(at("/srv/a"), PATIENT))
        .hasMessage("disk a of node-1 is not ready: /srv/a is not a directory");
  }

  @Test
  void addOfAMissingDirectoryAddsNoDisk() throws Exception {
    controllers.missDisks("/nonexistent/x does not exist on this node");
    assertFails(ErrorCode.IO, () -> disks.add(at("/nonexistent/x"), PATIENT))
        .hasMessage("disk x of node-1 is not added: /nonexistent/x does not exist on this node");
    assertThat(disks.list()).isEmpty();
  }

  @Test
  void addAfterARefusedOneIsNotJudgedByTheFormerDisk() throws Exception {
    reportFormerDisk("a");
    Waiting observed = new Waiting(PATIENT.timeout(), line -> controllers.observeAgain("node-1"));

    assertThat(disks.add(at("/srv/a"), observed).status().diskUUID()).isEqualTo("uuid-of-a");
    assertThat(disks.list()).extracting(Disk::id).containsExactly("a");
  }

  @Test
  void addWhileTheNodeDoesNotDropAFormerDiskIsRefused() throws Exception {
    reportFormerDisk("a");
    assertFails(ErrorCode.TIMEOUT, () -> disks.add(at("/srv/a"), SHORT))
        .hasMessage(
            "disk a of node-1 is not added: the node still reports a former disk of this name; see"
                + " whether it runs with 'holdfast node list', then try again");
    assertThat(disks.list()).isEmpty();
  }

  /** As a node that did not look since the disk was taken from its spec. */
  private void reportFormerDisk(String id) throws Exception {
    controllers.holdBackNodes();
    Condition absent =
        new Condition("Ready", Condition.Status.FALSE, "DiskAbsent", "is absent", Instant.EPOCH);
    DiskStatus former = DiskStatus.EMPTY.withConditions(List.of(absent));
    controllers.status(
        Node.KIND,
        "node-1",
        node -> node.withStatus(node.status().withDiskStatus(Map.of(id, former))));
  }

  @Test
  void addOfARelativePathIsRefused() {
    assertFails(ErrorCode.INVALID, () -> disks.add(at("relative/path"), PATIENT))
        .hasMessageContaining("disk add relative/path: the path must be absolute");
  }

  @Test
  void addOfTheSameDirectoryTwiceFails() throws Exception {
    disks.add(at("/srv/a"), PATIENT);
    Disks.Request again = new Disks.Request(Path.of("/srv/a"), UNSAID, Optional.of("b"), List.of());
    assertFails(ErrorCode.ALREADY_EXISTS, () -> disks.add(again, PATIENT))
        .hasMessage("disk a of node-1 is at /srv/a already");
  }

  @Test
  void addUnderAUsedNameRequiresAnother() throws Exception {
    disks.add(at("/srv/a"), PATIENT);
    assertFails(ErrorCode.ALREADY_EXISTS, () -> disks.add(at("/mnt/a"), PATIENT))
        .hasMessage(
            "disk a of node-1 is at /srv/a already; give the new one another name with --name");
  }

  @Test
  void addWithSeveralNodesRequiresANode() throws Exception {
    controllers.addNode("node-2");
    assertFails(ErrorCode.INVALID, () -> disks.add(at("/srv/a"), PATIENT))
        .hasMessage("the disk's node is not clear: name one of node-1, node-2 with --node");
  }

  @Test
  void removeDeletesTheDiskOfTheNode() throws Exception {
    disks.add(at("/srv/a"), PATIENT);
    disks.remove("a", UNSAID);
    assertThat(disks.list()).isEmpty();
  }

  @Test
  void removeRefusesWhileReplicasAreOnTheDisk() throws Exception {
    disks.add(at("/srv/a"), PATIENT);
    store.create(
        Replica.of(
            "demo-r-00000001",
            ReplicaSpec.EMPTY
                .withVolume("demo")
                .withDataDirectoryName("demo-00000001")
                .withNodeID("node-1")
                .withDiskID("a")
                .withDiskPath("/srv/a")));

    assertFails(ErrorCode.BUSY, () -> disks.remove("a", UNSAID))
        .hasMessage(
            "disk a of node-1 still has replicas: demo-r-00000001; delete their volumes first");
    Node node = store.get(Node.KIND, "node-1").orElseThrow();
    assertThat(node.spec().disks().get("a").allowScheduling()).isTrue();
  }

  /** A disk that two nodes see under names of their own, with a replica on it. */
  private void shareDisk() throws Exception {
    controllers.holdBackNodes();
    controllers.addNode("node-2");
    for (String node : List.of("node-1", "node-2")) {
      String id = "of-" + node;
      editNode(node, Map.of(id, DiskSpec.EMPTY.withPath("/dev/san").withType(DiskType.DEVICE)));
      DiskStatus seen = DiskStatus.EMPTY.withDiskUUID("uuid-7").withShared(true);
      controllers.status(
          Node.KIND, node, n -> n.withStatus(n.status().withDiskStatus(Map.of(id, seen))));
    }
    store.create(
        Replica.of(
            "demo-r-00000001",
            ReplicaSpec.EMPTY
                .withVolume("demo")
                .withDataDirectoryName("demo-00000001")
                .withDiskUUID("uuid-7")));
  }

  private void editNode(String name, Map<String, DiskSpec> wanted) throws Exception {
    Node node = store.get(Node.KIND, name).orElseThrow();
    store.update(node.withSpec(node.spec().withDisks(wanted)));
  }

  @Test
  void removeOfASharedDiskLeavesItsReplicasToTheNodesThatStillHaveIt() throws Exception {
    shareDisk();
    Disk removed = disks.remove("of-node-1", UNSAID);
    assertThat(removed.replicas()).containsExactly("demo-r-00000001");
    assertThat(disks.list())
        .singleElement()
        .satisfies(left -> assertThat(left.id()).isEqualTo("of-node-2"))
        .satisfies(left -> assertThat(left.replicas()).containsExactly("demo-r-00000001"));
  }

  @Test
  void removeOfASharedDiskIsRefusedOnItsLastNode() throws Exception {
    shareDisk();
    disks.remove("of-node-1", UNSAID);
    assertFails(ErrorCode.BUSY, () -> disks.remove("of-node-2", UNSAID))
        .hasMessage(
            "disk of-node-2 of node-2 still has replicas: demo-r-00000001; delete their volumes"
                + " first");
    Node last = store.get(Node.KIND, "node-2").orElseThrow();
    assertThat(last.spec().disks().get("of-node-2").allowScheduling()).isTrue();
  }

  @Test
  void removeOfAMissingDiskFails() {
    assertFails(ErrorCode.NOT_FOUND, () -> disks.remove("a", Optional.of("node-1")))
        .hasMessage("disk a of node-1 does not exist: see 'holdfast disk list'");
    assertFails(ErrorCode.NOT_FOUND, () -> disks.remove("a", UNSAID));
  }
}
