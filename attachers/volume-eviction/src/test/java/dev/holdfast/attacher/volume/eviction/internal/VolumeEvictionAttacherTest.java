package dev.holdfast.attacher.volume.eviction.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Disks that are to be emptied, with and without another disk to go to. */
class VolumeEvictionAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b");
  private static final List<Condition> READY =
      Condition.with(List.of(), "Ready", Condition.Status.TRUE, "Test", "", Instant.EPOCH);

  private static Replica replica(String volume) {
    Replica replica =
        Replica.of(
            volume + "-r",
            ReplicaSpec.EMPTY
                .withVolume(volume)
                .withDataDirectoryName(volume + "-r")
                .withNodeID("n1")
                .withDiskID("d1")
                .withDiskPath("/d1")
                .withHealthyAt(Optional.of(Instant.EPOCH)));
    return replica.withMetadata(Volumes.part(replica.name(), volume));
  }

  private static Node node(String name, String disk) {
    return Node.of(
            name, NodeSpec.EMPTY.withDisks(Map.of(disk, DiskSpec.EMPTY.withPath("/" + disk))))
        .withStatus(
            NodeStatus.EMPTY
                .withConditions(READY)
                .withDiskStatus(Map.of(disk, DiskStatus.EMPTY.withConditions(READY))));
  }

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeEvictionAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (Node node : List.of(node("n1", "d1"), node("n2", "d2"))) {
      store.updateStatus(store.create(node).withStatus(node.status()));
    }
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
      store.create(replica(volume));
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    boolean yes = random.nextBoolean();
    if (random.nextInt(3) == 0) {
      Node node = store.get(Node.KIND, "n2").orElseThrow();
      store.update(node.withSpec(node.spec().withAllowScheduling(yes)));
      return;
    }
    String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
    Replica replica = store.get(Replica.KIND, volume + "-r").orElseThrow();
    store.update(replica.withSpec(replica.spec().withEvictionRequested(yes)));
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    boolean place = store.get(Node.KIND, "n2").orElseThrow().spec().allowScheduling();
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      String volume = replica.spec().volume();
      if (place && replica.spec().evictionRequested()) {
        wanted.add(
            new ExpectedTicket(
                "volume-eviction-controller-" + volume, TicketDemand.withAnyFrontend(volume)));
      }
    }
    return wanted;
  }

  @Test
  void itIsNotInterrupted() {
    assertThat(new VolumeEvictionAttacher().priority()).isEqualTo(800);
    assertThat(new VolumeEvictionAttacher().role())
        .isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }

  private static List<Replica> evicting() {
    Replica replica = replica("a");
    return List.of(replica.withSpec(replica.spec().withEvictionRequested(true)));
  }

  @Test
  void diskThatIsEvictedOrNotReadyOrWithoutTheTagsReceivesNoReplica() {
    Volume volume = Volumes.detached("a");
    Node place = node("n2", "d2");
    DiskSpec disk = DiskSpec.EMPTY.withPath("/d2");
    Node unready = place.withStatus(place.status().withDiskStatus(Map.of("d2", DiskStatus.EMPTY)));
    Node emptied =
        place.withSpec(place.spec().withDisks(Map.of("d2", disk.withEvictionRequested(true))));
    assertThat(Eviction.isPossible(volume, evicting(), List.of(place))).isTrue();
    assertThat(Eviction.isPossible(volume, evicting(), List.of(unready))).isFalse();
    assertThat(Eviction.isPossible(volume, evicting(), List.of(emptied))).isFalse();
    assertThat(Eviction.isPossible(volume, evicting(), List.of(node("n1", "d1")))).isFalse();
    Volume choosy = volume.withSpec(volume.spec().withDiskSelector(List.of("fast")));
    assertThat(Eviction.isPossible(choosy, evicting(), List.of(place))).isFalse();
  }

  @Test
  void aReplicaThatWasMadeForItAlreadyIsAPlace() {
    Replica made = replica("a");
    made =
        made.withMetadata(Volumes.part("a-r-2", "a"))
            .withSpec(made.spec().withHealthyAt(Optional.empty()).withDiskID("d2"));
    List<Replica> both = List.of(evicting().get(0), made);
    assertThat(Eviction.isPossible(Volumes.detached("a"), both, List.of())).isTrue();
  }

  // The replica that leaves is taken out of the open volume only after that.
  @Test
  void evictedReplicaIsRemovedAfterItsReplacementIsRebuilt() {
    Replica made = replica("a");
    made = made.withMetadata(Volumes.part("a-r-2", "a")).withSpec(made.spec().withDiskID("d2"));
    List<Replica> both = List.of(evicting().get(0), made);
    Volume volume = Volumes.detached("a");
    Volume single = volume.withSpec(volume.spec().withNumberOfReplicas(1));
    Volume twofold = volume.withSpec(volume.spec().withNumberOfReplicas(2));

    assertThat(Eviction.isNeeded(single, both)).isTrue();
    assertThat(Eviction.isPossible(single, both, List.of())).isTrue();
    assertThat(Eviction.isPossible(twofold, both, List.of())).isFalse();
  }

  @Test
  void deletedReplicaIsReplacedAlsoOnItsOwnDisk() {
    Replica evicting = evicting().get(0);
    Replica deleted =
        evicting.withMetadata(
            evicting.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)));
    List<Node> nodes = List.of(node("n1", "d1"));

    assertThat(Eviction.isNeeded(Volumes.detached("a"), List.of(deleted))).isTrue();
    assertThat(Eviction.isPossible(Volumes.detached("a"), List.of(deleted), nodes)).isTrue();
    assertThat(Eviction.isNeeded(Volumes.detached("a"), List.of(deleted.disposable()))).isFalse();
  }

  @Test
  void failedDeletedReplicaKeepsTheVolumeAttachedUntilItIsReleased() {
    Replica evicting = evicting().get(0);
    Replica failed =
        evicting
            .withMetadata(evicting.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)))
            .withSpec(evicting.spec().withFailedAt(Optional.of(Instant.EPOCH)));

    assertThat(Eviction.isNeeded(Volumes.detached("a"), List.of(failed))).isTrue();
  }

  @Test
  void diskOfAReplicaWhoseRebuildFailedTakesAnotherAttempt() {
    Replica failed = replica("a");
    failed =
        failed
            .withMetadata(Volumes.part("a-r-2", "a"))
            .withSpec(
                failed
                    .spec()
                    .withNodeID("n2")
                    .withDiskID("d2")
                    .withDiskPath("/d2")
                    .withHealthyAt(Optional.empty())
                    .withFailedAt(Optional.of(Instant.EPOCH)));
    List<Replica> both = List.of(evicting().get(0), failed);
    Node node = node("n2", "d2");
    Node without = node.withSpec(node.spec().withAllowScheduling(false));

    assertThat(Eviction.isPossible(Volumes.detached("a"), both, List.of(node))).isTrue();
    assertThat(Eviction.isPossible(Volumes.detached("a"), both, List.of(without))).isFalse();
  }
}
