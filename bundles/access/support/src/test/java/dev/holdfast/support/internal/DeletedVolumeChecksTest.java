package dev.holdfast.support.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Findings about deleted volumes, each raised by its state and not by the state before it. */
class DeletedVolumeChecksTest {
  private static final Instant PURGE = Instant.parse("2026-05-01T12:00:00Z");
  private static final Instant STUCK = PURGE.plus(DeletedVolumeChecks.STUCK_AFTER);

  private final List<DeletedVolume> deletedVolumes = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  private List<HealthFinding> findings(Instant now) {
    ClusterView view =
        new ClusterView(
            now,
            List.of(),
            deletedVolumes,
            List.of(),
            replicas,
            nodes,
            List.of(),
            List.of(),
            List.of(),
            List.of());
    List<HealthFinding> found = new ArrayList<>(DeletedVolumeChecks.findings(view));
    found.addAll(NodeChecks.findings(view));
    return found;
  }

  private HealthFinding only(Instant now) {
    assertThat(findings(now)).hasSize(1);
    return findings(now).get(0);
  }

  private DeletedVolume keep(DeletedVolumeState state, boolean undelete, String message) {
    DeletedVolumeSpec spec =
        DeletedVolumeSpec.EMPTY
            .withActualSize(Quantity.parse("3Gi"))
            .withPurgeAt(Optional.of(PURGE))
            .withUndelete(undelete);
    DeletedVolume deleted = DeletedVolume.of("films", spec);
    deleted =
        deleted
            .withMetadata(deleted.metadata().withUid("kept-films"))
            .withStatus(deleted.status().withState(state).withMessage(message));
    deletedVolumes.clear();
    deletedVolumes.add(deleted);
    return deleted;
  }

  private void replica(Resource<?> owner, String name, String node, boolean witness) {
    Replica replica =
        Replica.of(
            name,
            ReplicaSpec.EMPTY
                .withVolume("films")
                .withNodeID(node)
                .withDiskID("d1")
                .withWitness(witness));
    replicas.add(
        replica.withMetadata(
            replica.metadata().withOwnerReferences(List.of(OwnerReference.controller(owner)))));
  }

  @Test
  void keptContentIsNotAFinding() {
    keep(DeletedVolumeState.KEPT, false, "");
    assertThat(findings(PURGE.minusSeconds(1))).isEmpty();
    assertThat(findings(STUCK)).isEmpty();
  }

  @Test
  void contentThatIsNotRemovedInTimeIsNamedWithItsNodes() {
    DeletedVolume deleted = keep(DeletedVolumeState.PURGING, false, "");
    replica(deleted, "films-r-1", "node-2", false);
    replica(deleted, "films-r-2", "node-1", false);
    replica(deleted, "films-r-3", "node-3", true);
    assertThat(findings(STUCK)).isEmpty();
    HealthFinding finding = only(STUCK.plusSeconds(1));
    assertThat(finding.code()).isEqualTo("DELETED_VOLUME_STUCK");
    assertThat(finding.since()).contains(PURGE);
    assertThat(finding.sentence())
        .isEqualTo(
            "the content of deleted volume films still uses 6Gi on nodes node-1, node-2, node-3");
  }

  @Test
  void purgeThatWasAskedForBeforeItsTimeIsDueFromThen() {
    DeletedVolume deleted = keep(DeletedVolumeState.PURGING, false, "");
    Instant asked = PURGE.minus(Duration.ofHours(5));
    deletedVolumes.set(
        0, deleted.withMetadata(deleted.metadata().withDeletionTimestamp(Optional.of(asked))));
    assertThat(only(asked.plus(DeletedVolumeChecks.STUCK_AFTER).plusSeconds(1)).since())
        .contains(asked);
  }

  @Test
  void contentThatIsGivenBackIsNotDue() {
    keep(DeletedVolumeState.KEPT, true, "");
    assertThat(findings(STUCK.plusSeconds(1))).isEmpty();
    keep(DeletedVolumeState.RESTORING, true, "");
    assertThat(findings(STUCK.plusSeconds(1))).isEmpty();
  }

  @Test
  void reasonWhyADeletedVolumeWaitsIsShown() {
    keep(DeletedVolumeState.KEPT, true, "another volume has the name");
    HealthFinding finding = only(PURGE);
    assertThat(finding.code()).isEqualTo("DELETED_VOLUME_WAITS");
    assertThat(finding.sentence()).isEqualTo("deleted volume films: another volume has the name");
  }

  @Test
  void fullDiskNamesTheDeletedVolumesOnIt() {
    DeletedVolume deleted = keep(DeletedVolumeState.KEPT, false, "");
    replica(deleted, "films-r-1", "node-1", false);
    DiskStatus full =
        DiskStatus.EMPTY
            .withStorageMaximum(Quantity.parse("10Gi"))
            .withStorageAvailable(Quantity.ZERO);
    NodeStatus status =
        NodeStatus.EMPTY.withConditions(
            List.of(new Condition(Condition.READY, Condition.Status.TRUE, "Any", "", PURGE)));
    nodes.add(
        Node.of("node-1", NodeSpec.EMPTY.withDisks(Map.of("d1", DiskSpec.EMPTY)))
            .withStatus(status.withDiskStatus(Map.of("d1", full))));
    HealthFinding finding = only(PURGE.minusSeconds(1));
    assertThat(finding.code()).isEqualTo("DISK_FULL");
    assertThat(finding.sentence()).endsWith("; deleted volumes hold 3Gi there");
    assertThat(finding.remedy())
        .startsWith("remove the content of deleted volumes by 'holdfast volume purge': films; ");

    replicas.clear();
    DeletedVolume other = DeletedVolume.of("films", DeletedVolumeSpec.EMPTY);
    replica(other.withMetadata(other.metadata().withUid("other")), "films-r-2", "node-1", false);
    assertThat(only(PURGE.minusSeconds(1)).sentence()).doesNotContain("deleted volumes");
  }
}
