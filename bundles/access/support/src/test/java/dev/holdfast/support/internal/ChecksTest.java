package dev.holdfast.support.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.BackupTargetStatus;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each code is raised by its state, and not by the state just before the limit. */
class ChecksTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final List<Volume> volumes = new ArrayList<>();
  private final List<VolumeAttachment> attachments = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Setting> settings = new ArrayList<>();
  private final List<Backup> backups = new ArrayList<>();
  private final List<BackupTarget> targets = new ArrayList<>();
  private final List<RecurringJob> jobs = new ArrayList<>();

  private List<HealthFinding> findings() {
    ClusterView view =
        new ClusterView(
            NOW,
            volumes,
            List.of(),
            attachments,
            replicas,
            nodes,
            settings,
            backups,
            targets,
            jobs);
    List<HealthFinding> found = new ArrayList<>(VolumeChecks.findings(view));
    found.addAll(NodeChecks.findings(view));
    found.addAll(BackupChecks.findings(view));
    return found;
  }

  private HealthFinding only() {
    assertThat(findings()).hasSize(1);
    return findings().get(0);
  }

  private static Condition condition(String type, Condition.Status status, String message) {
    return new Condition(type, status, "Any", message, NOW.minus(Duration.ofHours(1)));
  }

  private void volume(VolumeStatus status) {
    volumes.clear();
    volumes.add(Volume.of("films", VolumeSpec.EMPTY).withStatus(status));
  }

  private static NodeStatus ready() {
    return NodeStatus.EMPTY.withConditions(
        List.of(condition(Condition.READY, Condition.Status.TRUE, "")));
  }

  private void node(String name, NodeSpec spec, NodeStatus status) {
    nodes.removeIf(node -> node.name().equals(name));
    nodes.add(Node.of(name, spec).withStatus(status));
  }

  @Test
  void healthyClusterHasNoFinding() {
    volume(VolumeStatus.EMPTY.withState(VolumeState.ATTACHED).withRobustness(Robustness.HEALTHY));
    node("node-1", NodeSpec.EMPTY, ready());
    assertThat(findings()).isEmpty();
  }

  @Test
  void faultedVolumeIsAnErrorWithItsReason() {
    volume(
        VolumeStatus.EMPTY
            .withState(VolumeState.DETACHED)
            .withRobustness(Robustness.FAULTED)
            .withConditions(
                List.of(
                    condition(
                        Volume.FAULTED_CONDITION, Condition.Status.TRUE, "disk d1 is absent"))));
    HealthFinding found = only();
    assertThat(found.code()).isEqualTo("VOLUME_FAULTED");
    assertThat(found.severity()).isEqualTo(HealthSeverity.ERROR);
    assertThat(found.objects()).containsExactly("volume/films");
    assertThat(found.since()).contains(NOW.minus(Duration.ofHours(1)));
    assertThat(found.sentence()).isEqualTo("volume films cannot be used: disk d1 is absent");
    assertThat(found.remedy()).contains("holdfast volume why films");
  }

  @Test
  void volumeIsDegradedOnlyAfterTenMinutes() {
    VolumeStatus status =
        VolumeStatus.EMPTY.withState(VolumeState.ATTACHED).withRobustness(Robustness.DEGRADED);
    volume(status.withLastDegradedAt(Optional.of(NOW.minus(VolumeChecks.DEGRADED_AFTER))));
    assertThat(findings()).isEmpty();
    volume(
        status.withLastDegradedAt(
            Optional.of(NOW.minus(VolumeChecks.DEGRADED_AFTER).minus(SECOND))));
    assertThat(only().code()).isEqualTo("VOLUME_DEGRADED");
    assertThat(only().sentence()).isEqualTo("volume films has 0 of 3 replicas");
  }

  private void waits(Instant since) {
    AttachmentTicket ticket = AttachmentTicket.EMPTY.withId("t1").withType("api").withNodeID("n");
    Condition satisfied =
        new Condition(
            AttachmentTicketStatus.SATISFIED_CONDITION,
            Condition.Status.FALSE,
            "Waiting",
            "node n is not ready",
            since);
    attachments.clear();
    attachments.add(
        VolumeAttachment.of(
                "films", VolumeAttachmentSpec.EMPTY.withAttachmentTickets(Map.of("t1", ticket)))
            .withStatus(
                VolumeAttachmentStatus.EMPTY.withAttachmentTicketStatuses(
                    Map.of(
                        "t1",
                        AttachmentTicketStatus.of(
                            "t1", false, List.of(satisfied), ticket.generation())))));
  }

  @Test
  void attachingVolumeIsStuckAfterTwoMinutesWithTheReasonOfItsTicket() {
    volume(VolumeStatus.EMPTY.withState(VolumeState.ATTACHING));
    assertThat(findings()).isEmpty();
    waits(NOW.minus(VolumeChecks.STUCK_AFTER));
    assertThat(findings()).isEmpty();
    waits(NOW.minus(VolumeChecks.STUCK_AFTER).minus(SECOND));
    assertThat(only().code()).isEqualTo("VOLUME_STUCK");
    assertThat(only().sentence()).isEqualTo("volume films is still attaching: node n is not ready");
  }

  @Test
  void volumeThatIsCreatedForTwoMinutesIsStuck() {
    Volume young = Volume.of("films", VolumeSpec.EMPTY);
    Instant created = NOW.minus(VolumeChecks.STUCK_AFTER).minus(SECOND);
    ObjectMeta metadata = young.metadata().withCreationTimestamp(Optional.of(created));
    volumes.add(young.withMetadata(metadata));
    assertThat(only().code()).isEqualTo("VOLUME_STUCK");
    assertThat(only().sentence())
        .isEqualTo("volume films is still creating: no controller says why");
  }

  private void replica(String name, String disk) {
    replicas.add(
        Replica.of(
                name, ReplicaSpec.EMPTY.withVolume("films").withNodeID("node-1").withDiskID(disk))
            .withStatus(ReplicaStatus.EMPTY.withMode(ReplicaMode.RW)));
  }

  @Test
  void replicasOnOneFilesystemDoNotProtect() {
    volume(VolumeStatus.EMPTY.withState(VolumeState.ATTACHED).withRobustness(Robustness.HEALTHY));
    replica("r1", "d1");
    replica("r2", "d2");
    DiskStatus disk = DiskStatus.EMPTY.withFilesystem("uuid-1");
    node(
        "node-1",
        NodeSpec.EMPTY,
        ready().withDiskStatus(Map.of("d1", disk, "d2", disk.withFilesystem("uuid-2"))));
    assertThat(findings()).isEmpty();
    node("node-1", NodeSpec.EMPTY, ready().withDiskStatus(Map.of("d1", disk, "d2", disk)));
    assertThat(only().code()).isEqualTo("VOLUME_UNPROTECTED");
    assertThat(only().objects())
        .containsExactly("volume/films", "disk/node-1/d1", "disk/node-1/d2");
  }

  private void disk(DiskStatus disk) {
    node("node-1", NodeSpec.EMPTY, ready().withDiskStatus(Map.of("d1", disk)));
  }

  @Test
  void diskIsFullBelowTheShareThatMustStayFree() {
    DiskStatus disk = DiskStatus.EMPTY.withStorageMaximum(new Quantity(1000));
    disk(disk.withStorageAvailable(new Quantity(100)));
    assertThat(findings()).isEmpty();
    disk(disk.withStorageAvailable(new Quantity(99)));
    assertThat(only().code()).isEqualTo("DISK_FULL");
    assertThat(only().sentence()).contains("9 % are free, 10 % must stay free");
    settings.add(Setting.of("storage-minimal-available-percentage", new SettingSpec("5")));
    assertThat(findings()).isEmpty();
  }

  @Test
  void diskThatIsNotReadyIsAnError() {
    disk(
        DiskStatus.EMPTY.withConditions(
            List.of(condition(Condition.READY, Condition.Status.FALSE, "/d1 does not exist"))));
    assertThat(only().code()).isEqualTo("DISK_ABSENT");
    assertThat(only().severity()).isEqualTo(HealthSeverity.ERROR);
    assertThat(only().sentence()).isEqualTo("disk d1 of node node-1: /d1 does not exist");
  }

  @Test
  void nodeThatIsNotReadyHidesItsOldDiskConditions() {
    NodeStatus down =
        NodeStatus.EMPTY
            .withConditions(
                List.of(condition(Condition.READY, Condition.Status.UNKNOWN, "no status yet")))
            .withDiskStatus(
                Map.of(
                    "d1",
                    DiskStatus.EMPTY.withConditions(
                        List.of(condition(Condition.READY, Condition.Status.FALSE, "x")))));
    node("node-1", NodeSpec.EMPTY, down);
    assertThat(only().code()).isEqualTo("NODE_DOWN");
    assertThat(only().sentence()).isEqualTo("node node-1 is not ready: no status yet");
  }

  @Test
  void cordonIsNamedWithTheCommandThatEndsIt() {
    node("node-1", NodeSpec.EMPTY.withAllowScheduling(false), ready());
    assertThat(only().code()).isEqualTo("NODE_CORDONED");
    assertThat(only().remedy()).contains("kubectl patch nodes.holdfast.dev node-1");
  }

  @Test
  void eachConditionOfPluginsIsAFinding() {
    node(
        "node-1",
        NodeSpec.EMPTY,
        NodeStatus.EMPTY.withConditions(
            List.of(
                condition(Condition.READY, Condition.Status.TRUE, ""),
                condition(
                    Node.PLUGINS_HEALTHY_CONDITION, Condition.Status.FALSE, "engine x hangs"))));
    assertThat(only().code()).isEqualTo("PLUGIN_TROUBLE");
    assertThat(only().sentence()).isEqualTo("engine x hangs");
  }

  private void frontends(String reason) {
    node(
        "node-1",
        NodeSpec.EMPTY,
        NodeStatus.EMPTY.withConditions(
            Condition.with(
                List.of(condition(Condition.READY, Condition.Status.TRUE, "")),
                "DataPathAuthenticated",
                Condition.Status.FALSE,
                reason,
                "every client may use the attached volumes",
                NOW)));
  }

  @Test
  void nodeWhoseFrontendsAreOpenIsNamedWithTheCommandThatClosesIt() {
    frontends("Open");
    assertThat(only().code()).isEqualTo("FRONTEND_OPEN");
    assertThat(only().remedy()).contains("holdfast up --open-frontends loopback");
  }

  @Test
  void nodeThatIsOpenToItsOwnMachineHasNoFinding() {
    frontends("OpenToThisMachine");
    assertThat(findings()).isEmpty();
  }

  @Test
  void nodesOfDifferentVersionsAreListed() {
    node("node-1", NodeSpec.EMPTY, ready().withVersion("0.3.0"));
    node("node-2", NodeSpec.EMPTY, ready().withVersion("0.3.0"));
    assertThat(findings()).isEmpty();
    node("node-2", NodeSpec.EMPTY, ready().withVersion("0.3.1"));
    assertThat(only().code()).isEqualTo("VERSION_SKEW");
    assertThat(only().sentence()).contains("0.3.0 on node-1; 0.3.1 on node-2");
  }

  private void backup(String name, BackupState state, Duration age) {
    Backup made = Backup.of(name, BackupSpec.EMPTY.withVolume("films"));
    backups.add(
        made.withMetadata(made.metadata().withCreationTimestamp(Optional.of(NOW.minus(age))))
            .withStatus(BackupStatus.EMPTY.withState(state).withError("the target is full")));
  }

  @Test
  void failedBackupCountsUntilALaterOneSucceeds() {
    backup("b1", BackupState.COMPLETED, Duration.ofHours(3));
    backup("b2", BackupState.ERROR, Duration.ofHours(2));
    assertThat(only().code()).isEqualTo("BACKUP_FAILED");
    assertThat(only().sentence())
        .isEqualTo("the last backup of volume films failed: the target is full");
    backup("b3", BackupState.COMPLETED, Duration.ofHours(1));
    assertThat(findings()).isEmpty();
  }

  @Test
  void targetThatIsNotAvailableIsAFinding() {
    targets.add(
        BackupTarget.of("default", BackupTargetSpec.EMPTY)
            .withStatus(
                BackupTargetStatus.EMPTY.withConditions(
                    List.of(
                        condition(
                            BackupTarget.AVAILABLE_CONDITION,
                            Condition.Status.FALSE,
                            "no route")))));
    assertThat(only().code()).isEqualTo("BACKUP_FAILED");
    assertThat(only().objects()).containsExactly("backuptarget/default");
  }

  private void job(Duration sinceSuccess, List<String> errors) {
    jobs.clear();
    jobs.add(
        RecurringJob.of("nightly", RecurringJobSpec.EMPTY)
            .withStatus(
                RecurringJobStatus.EMPTY
                    .withLastScheduledAt(Optional.of(NOW.minus(Duration.ofMinutes(30))))
                    .withNextScheduledAt(Optional.of(NOW.plus(Duration.ofMinutes(30))))
                    .withLastSucceededAt(Optional.of(NOW.minus(sinceSuccess)))
                    .withLastErrors(errors)));
  }

  @Test
  void jobIsLateAfterTwiceItsInterval() {
    job(Duration.ofHours(2), List.of());
    assertThat(findings()).isEmpty();
    job(Duration.ofHours(2).plus(SECOND), List.of());
    assertThat(only().code()).isEqualTo("BACKUP_OLD");
    job(Duration.ofHours(1), List.of("volume films: no target"));
    assertThat(only().code()).isEqualTo("BACKUP_FAILED");
  }
}
