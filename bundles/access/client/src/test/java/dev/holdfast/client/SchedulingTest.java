package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes and disks that take no new replicas, and those that are emptied. */
class SchedulingTest extends StoreTest {
  private static final Optional<String> ONLY = Optional.empty();

  private Scheduling scheduling;

  @BeforeEach
  void haveTwoDisksWithReplicas() throws Exception {
    scheduling = new Scheduling(store);
    controllers.update(
        Node.KIND,
        "node-1",
        node ->
            node.withSpec(
                node.spec()
                    .withDisks(
                        Map.of(
                            "disk-1",
                            DiskSpec.EMPTY.withPath("/srv/1"),
                            "disk-2",
                            DiskSpec.EMPTY.withPath("/srv/2")))));
    createReplica("films-r-1", "disk-1");
    createReplica("music-r-1", "disk-2");
  }

  private void createReplica(String name, String disk) throws StorageException {
    Replica unused =
        store.create(
            Replica.of(
                name,
                ReplicaSpec.EMPTY
                    .withVolume(name.substring(0, 5))
                    .withDataDirectoryName(name)
                    .withNodeID("node-1")
                    .withDiskID(disk)
                    .withDiskPath("/srv/" + disk)));
  }

  private void delete(String replica) throws StorageException {
    String uid = store.get(Replica.KIND, replica).orElseThrow().metadata().uid();
    store.delete(Replica.KIND, replica, uid);
  }

  private Node node() throws StorageException {
    return store.get(Node.KIND, "node-1").orElseThrow();
  }

  @Test
  void cordonedNodeKeepsItsReplicasAndUncordonEndsItsDrain() throws Exception {
    assertThat(scheduling.cordon("node-1").spec().allowScheduling()).isFalse();
    assertThat(node().spec().evictionRequested()).isFalse();
    Scheduling.Drained asked = scheduling.drain("node-1", Waiting.none());
    assertThat(asked.replicas()).containsExactlyInAnyOrder("films-r-1", "music-r-1");
    assertThat(node().spec().evictionRequested()).isTrue();

    assertThat(scheduling.cordon("node-1").spec().evictionRequested()).isTrue();
    Node used = scheduling.uncordon("node-1");

    assertThat(used.spec().allowScheduling()).isTrue();
    assertThat(used.spec().evictionRequested()).isFalse();
    assertFails(ErrorCode.NOT_FOUND, () -> scheduling.cordon("node-7"))
        .hasMessageContaining("node node-7 does not exist");
  }

  @Test
  void drainEndsWhenTheLastReplicaIsGoneAndNamesWhatIsAttached() throws Exception {
    store.create(VolumeAttachment.of("films", VolumeAttachmentSpec.EMPTY.withVolume("films")));
    addTicket("films", "pod", "csi-attacher", "node-1");
    CompletableFuture<String> waits = new CompletableFuture<>();
    Waiting waiting = new Waiting(Duration.ofMinutes(2), waits::complete);
    CompletableFuture<Scheduling.Drained> drained =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return scheduling.drain("node-1", waiting);
              } catch (StorageException e) {
                throw new AssertionError(e);
              }
            });

    assertThat(waits.get(1, TimeUnit.MINUTES))
        .contains("2 replicas are left: ", "films-r-1 of volume films", "volume why");
    delete("films-r-1");
    delete("music-r-1");

    assertThat(drained.get(1, TimeUnit.MINUTES).replicas()).isEmpty();
    assertThat(drained.get().attachedVolumes()).containsExactly("films");
  }

  @Test
  void drainOfADiskWaitsForItsOwnReplicasOnly() throws Exception {
    delete("music-r-1");

    assertThat(scheduling.drainDisk("disk-2", ONLY, PATIENT).replicas()).isEmpty();
    assertThat(node().spec().disks().get("disk-2").evictionRequested()).isTrue();
    assertThat(node().spec().disks().get("disk-1").evictionRequested()).isFalse();
    assertFails(ErrorCode.TIMEOUT, () -> scheduling.drainDisk("disk-1", ONLY, SHORT))
        .hasMessageContaining("1 replica is left: films-r-1 of volume films");
    Disk used = scheduling.uncordonDisk("disk-1", ONLY);
    assertThat(used.spec().allowScheduling()).isTrue();
    assertThat(used.spec().evictionRequested()).isFalse();
    assertThat(scheduling.cordonDisk("disk-1", ONLY).spec().allowScheduling()).isFalse();
    assertFails(ErrorCode.NOT_FOUND, () -> scheduling.cordonDisk("disk-9", ONLY));
    assertFails(ErrorCode.NOT_FOUND, () -> scheduling.cordonDisk("disk-9", Optional.of("node-1")))
        .hasMessageContaining("disk disk-9 of node-1 does not exist");
  }

  @Test
  void absentDiskIsDrainedAndRemovedOnceItsReplicasAreReplaced() throws Exception {
    Replica replica = store.get(Replica.KIND, "films-r-1").orElseThrow();
    store.update(replica.withMetadata(replica.metadata().plusFinalizer(Replica.FINALIZER)));
    delete("films-r-1");
    controllers.update(Replica.KIND, "films-r-1", Replica::disposable);
    assertFails(ErrorCode.TIMEOUT, () -> scheduling.drainDisk("disk-1", ONLY, SHORT));
    assertFails(ErrorCode.BUSY, () -> disks.remove("disk-1", ONLY));

    controllers.status(
        Replica.KIND,
        "films-r-1",
        r ->
            r.withStatus(
                r.status()
                    .withConditions(
                        List.of(
                            new Condition(
                                Condition.DELETING,
                                Condition.Status.FALSE,
                                "DiskAbsent",
                                "",
                                Instant.EPOCH)))));

    assertThat(scheduling.drainDisk("disk-1", ONLY, PATIENT).replicas()).isEmpty();
    assertThat(disks.remove("disk-1", ONLY).id()).isEqualTo("disk-1");
  }
}
