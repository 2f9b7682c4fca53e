package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.WorkloadAttachments;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tickets of a volume without VolumeAttachment, and the message of a volume that should move in
 * use.
 */
class ImportedTicketsTest {
  private static final List<Node> NODES =
      Stream.of("n1", "n2", "n3").map(name -> Cluster.node(name, 1)).toList();

  private static VolumePlan plan(UnaryOperator<Volume> change, boolean withTickets) {
    VolumeView view = Views.made(VolumeState.ATTACHED, "n1", "n1").on(NODES);
    return new VolumePlanner()
        .next(
            new VolumeView(
                change.apply(view.volume()),
                view.engine(),
                view.replicas(),
                withTickets ? view.attachment() : Optional.empty(),
                view.nodes(),
                view.allReplicas(),
                view.rebuilds(),
                view.snapshots(),
                view.settings(),
                view.now()));
  }

  private static AttachmentTicket imported(UnaryOperator<Volume> change) {
    var tickets = plan(change, false).newAttachment().orElseThrow().spec().attachmentTickets();
    assertThat(tickets).hasSize(1);
    return tickets.values().iterator().next();
  }

  @Test
  void anAttachedVolumeIsKeptWhereAndHowItIsByATicketOfAPerson() {
    AttachmentTicket ticket = imported(volume -> volume);
    assertThat(ticket.id()).isEqualTo("api-n1");
    assertThat(ticket.type()).isEqualTo("api");
    assertThat(ticket.nodeID()).isEqualTo("n1");
    assertThat(ticket.parameters()).containsEntry("disableFrontend", "false");
    AttachmentTicket without =
        imported(volume -> volume.withSpec(volume.spec().withDisableFrontend(true)));
    assertThat(without.parameters()).containsEntry("disableFrontend", "true");
  }

  @Test
  void volumeThatWasAttachedForAPodGetsThePodsTicketAgain() {
    // printf 'vcsi.holdfast.devn1' | sha256sum
    String id = "csi-4d6528a36b55130dad5a174ffb65fda2dea72b792681158ef9b21e3c98c73104";
    AttachmentTicket ticket =
        imported(volume -> volume.withSpec(volume.spec().withLastAttachedBy(id)));
    assertThat(ticket.id()).isEqualTo(id);
    assertThat(ticket.type()).isEqualTo("csi-attacher");
    assertThat(ticket.nodeID()).isEqualTo("n1");
    assertThat(ticket.parameters()).containsEntry("disableFrontend", "false");
  }

  private static Map<String, AttachmentTicket> forPods(
      UnaryOperator<Volume> change, WorkloadAttachments.Attached... pods) {
    Volume volume = change.apply(Views.made(VolumeState.ATTACHED, "n1", "n1").on(NODES).volume());
    return ImportedTickets.attachment(volume, List.of(pods)).spec().attachmentTickets();
  }

  @Test
  void podsOfTheOrchestratorGetTheirTicketsAgainWhateverWasLastAttached() {
    var one = new WorkloadAttachments.Attached("csi-1", "n1");
    AttachmentTicket ticket =
        forPods(volume -> volume.withSpec(volume.spec().withLastAttachedBy("api-n1")), one)
            .get("csi-1");
    assertThat(ticket.type()).isEqualTo("csi-attacher");
    assertThat(ticket.nodeID()).isEqualTo("n1");
    assertThat(ticket.parameters())
        .containsEntry("csiNode", "n1")
        .containsEntry("disableFrontend", "false");
  }

  @Test
  void podsOnSeveralNodesKeepTheEngineWhereOneOfThemIs() {
    var one = new WorkloadAttachments.Attached("csi-1", "n0");
    var two = new WorkloadAttachments.Attached("csi-2", "n1");
    assertThat(forPods(volume -> volume, one, two))
        .hasSize(2)
        .allSatisfy((id, ticket) -> assertThat(ticket.nodeID()).isEqualTo("n1"))
        .hasEntrySatisfying(
            "csi-1", ticket -> assertThat(ticket.parameters()).containsEntry("csiNode", "n0"));
    assertThat(forPods(volume -> volume, one).get("csi-1").nodeID()).isEqualTo("n0");
    assertThat(
            forPods(volume -> volume.withSpec(volume.spec().withMigrationNodeID("n0")), one, two)
                .get("csi-1")
                .nodeID())
        .isEqualTo("n0");
  }

  @Test
  void aVolumeThatIsAttachedToGrowIsReleasedWhenItHasGrown() {
    AttachmentTicket ticket =
        imported(volume -> volume.withStatus(volume.status().withExpansionRequired(true)));
    assertThat(ticket.id()).isEqualTo("volume-expansion-controller-v");
    assertThat(ticket.type()).isEqualTo("volume-expansion-controller");
    assertThat(ticket.ownerReference().orElseThrow().name()).isEqualTo("v");
  }

  @Test
  void aDetachedVolumeGetsNoTicketAndOneThatHasAnAttachmentNoOther() {
    VolumePlan detached = plan(volume -> volume.withSpec(volume.spec().withNodeID("")), false);
    assertThat(detached.newAttachment().orElseThrow().spec().attachmentTickets()).isEmpty();
    assertThat(plan(volume -> volume, true).newAttachment()).isEmpty();
  }

  @Test
  void aVolumeThatIsToMoveInUseSaysHowFarThatIs() {
    VolumePlan plan =
        plan(volume -> volume.withSpec(volume.spec().withMigrationNodeID("n2")), true);
    Condition said =
        Condition.find(plan.status().conditions(), VolumeConditions.MIGRATION).orElseThrow();
    assertThat(said.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(said.reason()).isEqualTo("Preparing");
    assertThat(plan.status().currentMigrationNodeID()).isEmpty();
    assertThat(Condition.find(plan(v -> v, true).status().conditions(), VolumeConditions.MIGRATION))
        .isEmpty();
  }

  @Test
  void aVolumeThatOthersWaitForSaysWhoAndWhy() {
    VolumeView view = Views.made(VolumeState.ATTACHED, "n1", "n1").on(NODES);
    VolumeAttachment waited =
        view.attachment()
            .orElseThrow()
            .withStatus(
                new VolumeAttachmentStatus(
                    Map.of(),
                    Condition.with(
                        List.of(),
                        "Satisfied",
                        Condition.Status.FALSE,
                        "OtherNode",
                        "ticket t: attached to different node n1",
                        Instant.EPOCH)));
    VolumePlan plan =
        new VolumePlanner()
            .next(
                new VolumeView(
                    view.volume(),
                    view.engine(),
                    view.replicas(),
                    Optional.of(waited),
                    view.nodes(),
                    view.allReplicas(),
                    view.rebuilds(),
                    view.snapshots(),
                    view.settings(),
                    view.now()));
    Condition said =
        Condition.find(plan.status().conditions(), VolumeConditions.TICKETS_SATISFIED)
            .orElseThrow();
    assertThat(said.reason()).isEqualTo("OtherNode");
    assertThat(said.message()).contains("ticket t");
  }
}
