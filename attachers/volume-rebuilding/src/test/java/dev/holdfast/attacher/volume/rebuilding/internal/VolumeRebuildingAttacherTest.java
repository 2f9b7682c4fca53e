package dev.holdfast.attacher.volume.rebuilding.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Robustness;
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

/** Replicas that fail and become current again, with rebuilding off line switched on and off. */
class VolumeRebuildingAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b");
  private static final Optional<Instant> THEN = Optional.of(Instant.EPOCH);

  private static Replica replica(String volume, int number) {
    String name = volume + "-r-" + number;
    Replica replica =
        Replica.of(
            name,
            ReplicaSpec.EMPTY
                .withVolume(volume)
                .withDataDirectoryName(name)
                .withNodeID("n1")
                .withDiskID("d" + number)
                .withDiskPath("/d" + number)
                .withHealthyAt(THEN));
    return replica
        .withMetadata(Volumes.part(name, volume))
        .withStatus(replica.status().withMode(ReplicaMode.RW));
  }

  private static void create(ResourceStore store, Replica replica) throws StorageException {
    store.updateStatus(store.create(replica).withStatus(replica.status()));
  }

  private static Node node(boolean ready) {
    Condition.Status status = ready ? Condition.Status.TRUE : Condition.Status.UNKNOWN;
    return Node.of("n1", NodeSpec.EMPTY)
        .withStatus(
            NodeStatus.EMPTY.withConditions(
                Condition.with(List.of(), "Ready", status, "Test", "", Instant.EPOCH)));
  }

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeRebuildingAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    store.updateStatus(store.create(node(true)).withStatus(node(true).status()));
    store.create(Setting.of(PlatformSettings.OFFLINE_REBUILD.name(), new SettingSpec("true")));
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
      Volumes.spec(store, volume, spec -> spec.withNumberOfReplicas(2));
      create(store, replica(volume, 1));
      create(store, replica(volume, 2));
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    boolean yes = random.nextBoolean();
    String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
    switch (random.nextInt(5)) {
      case 0 -> {
        Setting setting =
            store.get(Setting.KIND, PlatformSettings.OFFLINE_REBUILD.name()).orElseThrow();
        store.update(setting.withSpec(new SettingSpec(Boolean.toString(yes))));
      }
      case 1 -> {
        Node node = store.get(Node.KIND, "n1").orElseThrow();
        store.updateStatus(node.withStatus(node(yes).status()));
      }
      default -> {
        Replica replica = store.get(Replica.KIND, volume + "-r-2").orElseThrow();
        Optional<Instant> failedAt = yes ? THEN : Optional.empty();
        store.update(replica.withSpec(replica.spec().withFailedAt(failedAt)));
      }
    }
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    Node node = store.get(Node.KIND, "n1").orElseThrow();
    boolean ready = Condition.isTrue(node.status().conditions(), "Ready");
    Setting setting =
        store.get(Setting.KIND, PlatformSettings.OFFLINE_REBUILD.name()).orElseThrow();
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      String volume = replica.spec().volume();
      boolean failed = replica.spec().failedAt().isPresent();
      if (ready && failed && setting.spec().value().equals("true")) {
        wanted.add(
            new ExpectedTicket(
                "volume-rebuilding-controller-" + volume, TicketDemand.withAnyFrontend(volume)));
      }
    }
    return wanted;
  }

  @Test
  void offlineRebuildIsInterruptedByWorkloads() {
    assertThat(new VolumeRebuildingAttacher().priority()).isEqualTo(800);
    assertThat(new VolumeRebuildingAttacher().role())
        .isEqualTo(AttacherProvider.Role.INTERRUPTIBLE);
  }

  private static final List<Node> NODES = List.of(node(true));
  private static final Volume VOLUME = Volumes.detached("a");

  private static Replica failed(int number, int retries) {
    Replica replica = replica("a", number);
    return replica.withSpec(replica.spec().withFailedAt(THEN).withRebuildRetryCount(retries));
  }

  @Test
  void aFaultedVolumeAndOneWithoutAnyCurrentReplicaAreNotRebuilt() {
    Volume faulted = VOLUME.withStatus(VOLUME.status().withRobustness(Robustness.FAULTED));
    assertThat(OfflineRebuild.isNeeded(faulted, List.of(replica("a", 1)))).isFalse();
    assertThat(OfflineRebuild.isNeeded(VOLUME, List.of(failed(1, 0)))).isFalse();
    assertThat(OfflineRebuild.isNeeded(VOLUME, List.of(replica("a", 1)))).isTrue();
  }

  // A controller records the failure in the spec, possibly after the volume was detached.
  @Test
  void excludedReplicaIsRebuiltEvenIfItsFailureIsNotRecorded() {
    Replica left = replica("a", 2);
    left = left.withStatus(left.status().withMode(ReplicaMode.ERR));
    Volume twofold = VOLUME.withSpec(VOLUME.spec().withNumberOfReplicas(2));

    assertThat(OfflineRebuild.isNeeded(twofold, List.of(replica("a", 1), replica("a", 2))))
        .isFalse();
    assertThat(OfflineRebuild.isNeeded(twofold, List.of(replica("a", 1), left))).isTrue();
    assertThat(OfflineRebuild.isPossible(twofold, List.of(replica("a", 1), left), NODES)).isTrue();
  }

  // The rebuild clears failedAt at its beginning: a detachment at that time would leave the replica
  // incomplete.
  @Test
  void aReplicaThatIsBeingRebuiltHoldsItsVolume() {
    Replica rebuilding = replica("a", 2);
    rebuilding = rebuilding.withStatus(rebuilding.status().withMode(ReplicaMode.WO));
    Volume twofold = VOLUME.withSpec(VOLUME.spec().withNumberOfReplicas(2));

    assertThat(OfflineRebuild.isNeeded(twofold, List.of(replica("a", 1), rebuilding))).isTrue();
    assertThat(OfflineRebuild.isPossible(twofold, List.of(replica("a", 1), rebuilding), NODES))
        .isTrue();
  }

  // The node was down when the replica failed, so that no engine updated the mode.
  @Test
  void aReplicaIsNotCurrentBeforeItWasHealthyAgain() {
    Replica revived = replica("a", 2);
    revived = revived.withSpec(revived.spec().withLastHealthyAt(THEN).withLastFailedAt(THEN));
    Volume twofold = VOLUME.withSpec(VOLUME.spec().withNumberOfReplicas(2));
    assertThat(OfflineRebuild.isNeeded(twofold, List.of(replica("a", 1), revived))).isTrue();

    Optional<Instant> later = THEN.map(then -> then.plusSeconds(1));
    Replica again = revived.withSpec(revived.spec().withLastHealthyAt(later));
    assertThat(OfflineRebuild.isNeeded(twofold, List.of(replica("a", 1), again))).isFalse();
  }

  @Test
  void aReplicaThatFailedTooOftenKeepsNoVolumeAttached() {
    List<Replica> often = List.of(replica("a", 1), failed(2, OfflineRebuild.MOST_RETRIES));
    List<Replica> seldom = List.of(replica("a", 1), failed(2, 1));
    assertThat(OfflineRebuild.isPossible(VOLUME, often, NODES)).isFalse();
    assertThat(OfflineRebuild.isPossible(VOLUME, seldom, NODES)).isTrue();
  }

  @Test
  void withoutADiskForAnotherReplicaNothingIsAttached() {
    List<Replica> one = List.of(replica("a", 1));
    Node full = withDisk("1Mi");
    Volume bigger = VOLUME.withStatus(VOLUME.status().withActualSize(Quantity.parse("2Mi")));
    assertThat(OfflineRebuild.isPossible(bigger, one, NODES)).isFalse();
    assertThat(OfflineRebuild.isPossible(bigger, one, List.of(full))).isFalse();
    assertThat(OfflineRebuild.isPossible(bigger, one, List.of(withDisk("1Gi")))).isTrue();
  }

  private static Node withDisk(String available) {
    Node node = node(true);
    DiskStatus disk =
        DiskStatus.EMPTY
            .withStorageAvailable(Quantity.parse(available))
            .withConditions(node.status().conditions());
    return node.withSpec(node.spec().withDisks(Map.of("d2", DiskSpec.EMPTY.withPath("/d2"))))
        .withStatus(node.status().withDiskStatus(Map.of("d2", disk)));
  }
}
