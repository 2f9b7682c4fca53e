package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.Explanations;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The sentences that explain a volume, situation by situation. */
class ExplanationViewsTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
  private final Map<String, AttachmentTicketStatus> statuses = new LinkedHashMap<>();
  private List<Condition> conditions = List.of();

  private void ticket(AttachmentTicket ticket, boolean satisfied, String reason, String message) {
    Condition.Status status = satisfied ? Condition.Status.TRUE : Condition.Status.FALSE;
    List<Condition> told =
        Condition.with(List.of(), "Satisfied", status, reason, message, Instant.EPOCH);
    tickets.put(ticket.id(), ticket);
    statuses.put(ticket.id(), AttachmentTicketStatus.of(ticket.id(), satisfied, told, 1));
  }

  private static AttachmentTicket of(String id, String type, String node) {
    return AttachmentTicket.of(id, type, node, Map.of(), 1);
  }

  private Output why(VolumeState state, String node) throws StorageException {
    VolumeSpec spec = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withNodeID(node);
    VolumeStatus status =
        VolumeStatus.EMPTY.withState(state).withCurrentNodeID(node).withConditions(conditions);
    store.updateStatus(store.create(Volume.of("demo", spec)).withStatus(status));
    VolumeAttachment attachment =
        store.create(VolumeAttachment.of("demo", new VolumeAttachmentSpec("demo", tickets)));
    store.updateStatus(
        attachment.withStatus(VolumeAttachmentStatus.EMPTY.withAttachmentTicketStatuses(statuses)));
    return new ExplanationViews().explanation(new Explanations(store).why("demo"));
  }

  private String text(VolumeState state, String node) throws StorageException {
    return why(state, node).text().get();
  }

  @Test
  void explanationListsHoldingAndWaitingTickets() throws Exception {
    OwnerReference owner =
        new OwnerReference(ResourceKind.API_VERSION, "Snapshot", "s1", "u", false);
    ticket(of("csi-1", "csi-attacher", "node-1"), true, "Attached", "");
    ticket(
        of("snap", "snapshot-controller", "").withOwnerReference(Optional.of(owner)),
        true,
        "Attached",
        "");
    ticket(
        of("csi-2", "csi-attacher", "node-2"),
        false,
        "OtherNode",
        "attached to different node node-1");
    assertThat(text(VolumeState.ATTACHED, "node-1"))
        .isEqualTo(
            """
            Volume demo is attached to node node-1, where these ask for it:
            - Ticket csi-1 (csi-attacher) has what it asked for.
            - Ticket snap (snapshot-controller, for Snapshot s1) has what it asked for.
            One waits:
            - Ticket csi-2 (csi-attacher) wants it on node node-2 (OtherNode): attached to different \
            node node-1. It comes next when what holds the volume is done or taken back: csi-1, snap.""");
  }

  /** Two of four regions: bits 0 and 2 of the first byte. */
  @Test
  void cloneShowsTheProgressOfItsContent() throws Exception {
    Volume copy =
        store.create(
            Volume.of(
                "demo",
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("64Mi"))
                    .withCloneSource(Optional.of(new CloneSource("source", "")))));
    CloneStatus status =
        CloneStatus.EMPTY
            .withState(CloneState.INITIATED)
            .withCopySize(Quantity.parse("64Mi"))
            .withRegionSize(Quantity.parse("16Mi"))
            .withCopiedRegions("BQ==");
    copy = store.updateStatus(copy.withStatus(copy.status().withCloneStatus(status)));
    assertThat(new ExplanationViews().explanation(new Explanations(store).why("demo")).text().get())
        .contains("Its content is incomplete: 50 % is copied.");

    store.updateStatus(
        copy.withStatus(
            copy.status()
                .withCloneStatus(
                    status
                        .withState(CloneState.FAILED)
                        .withMessage("volume source does not exist"))));
    assertThat(new ExplanationViews().explanation(new Explanations(store).why("demo")).text().get())
        .contains("50 % is copied. volume source does not exist.");
  }

  @Test
  void aDetachedVolumeWithoutTickets() throws Exception {
    assertThat(text(VolumeState.DETACHED, ""))
        .isEqualTo(
            "Volume demo is detached because no ticket requests it. Attach it: holdfast volume "
                + "attach"
                + " demo");
  }

  @Test
  void aDetachedVolumeThatWaitsForItsNode() throws Exception {
    ticket(of("api-node-3", "api", "node-3"), false, "NodeNotReady", "node node-3 is not ready");
    assertThat(text(VolumeState.DETACHED, ""))
        .startsWith("Volume demo is detached although a ticket requests it.\nOne waits:")
        .contains("(NodeNotReady): node node-3 is not ready. See 'holdfast node list'.");
  }

  @Test
  void anEngineThatRefuses() throws Exception {
    ticket(
        of("api-node-1", "api", "node-1"),
        false,
        "EngineNotReady",
        "is being attached to node node-1: disk-2 is needed");
    conditions =
        Condition.with(
            List.of(),
            "EngineReady",
            Condition.Status.FALSE,
            "Unreachable",
            "disk-2 is needed",
            Instant.EPOCH);
    assertThat(text(VolumeState.ATTACHING, "node-1"))
        .contains("Volume demo is on its way to node node-1, where these ask for it:")
        .contains(
            "does not have it yet (EngineNotReady): is being attached to node node-1: disk-2 is "
                + "needed.")
        .contains("What is wrong:\n- EngineReady: disk-2 is needed.");
  }

  @Test
  void aVolumeThatIsNotPlaced() throws Exception {
    conditions =
        Condition.with(
            List.of(),
            "Scheduled",
            Condition.Status.FALSE,
            "TooFewDisks",
            "no disk has room",
            Instant.EPOCH);
    assertThat(text(VolumeState.CREATING, ""))
        .isEqualTo("Volume demo is being made.\nWhat is wrong:\n- Scheduled: no disk has room.");
  }

  @Test
  void aTicketWithAnEndAndOneWithoutAJudgement() throws Exception {
    AttachmentTicket ticket =
        of("api", "api", "").withExpiresAt(Optional.of(Instant.parse("2030-01-01T00:00:00Z")));
    tickets.put("api", ticket);
    assertThat(text(VolumeState.DETACHED, ""))
        .contains("Ticket api (api, until 2030-01-01T00:00:00Z) wants it on any node (NotJudged)");
  }

  @Test
  void explanationShowsAHolderWithoutItsAttacher() throws Exception {
    ticket(of("csi-1", "csi-attacher", "node-1"), true, "Attached", "");
    AttachmentTicketStatus told = statuses.get("csi-1");
    statuses.put(
        "csi-1",
        told.withConditions(
            Condition.with(
                told.conditions(),
                "AttacherAvailable",
                Condition.Status.FALSE,
                "AttacherUnavailable",
                "",
                Instant.EPOCH)));
    assertThat(text(VolumeState.ATTACHED, "node-1"))
        .contains("The bundle of its type is not installed");
  }

  @Test
  void theSameForPrograms() throws Exception {
    ticket(of("csi-1", "csi-attacher", "node-1"), true, "Attached", "");
    ticket(of("csi-2", "csi-attacher", "node-2"), false, "OtherNode", "elsewhere");
    JsonNode tree = why(VolumeState.ATTACHED, "node-1").json().get();
    assertThat(tree.at("/state").asText()).isEqualTo("attached");
    assertThat(tree.at("/nodeID").asText()).isEqualTo("node-1");
    assertThat(tree.at("/holders/0/id").asText()).isEqualTo("csi-1");
    assertThat(tree.at("/waiting/0/reason").asText()).isEqualTo("OtherNode");
    assertThat(tree.at("/problems").isArray()).isTrue();
  }

  @Test
  void aVolumeThatIsNotThere() {
    assertThatThrownBy(() -> new Explanations(store).why("demo"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("demo");
  }
}
