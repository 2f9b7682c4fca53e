package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ForwardingResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AttachmentsTest extends StoreTest {
  private static final Optional<String> NODE_1 = Optional.of("node-1");
  private static final Optional<String> ANY = Optional.empty();

  @BeforeEach
  final void createVolume() throws Exception {
    controllers.addNode("node-2");
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
  }

  private Map<String, AttachmentTicket> tickets() throws Exception {
    return store.get(VolumeAttachment.KIND, "demo").orElseThrow().spec().attachmentTickets();
  }

  private void awaitAttached(String node) throws Exception {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, "demo");
      observation.await(
          "volume demo",
          PATIENT,
          () -> volume.latest().filter(v -> v.status().currentNodeID().equals(node)),
          () -> "attachment to " + node);
    }
  }

  @Test
  void attachToANodeAddsItsTicketAndWaitsForTheEndpoint() throws Exception {
    Volume volume = attachments.attach("demo", Optional.of("node-2"), PATIENT);

    assertThat(volume.status().currentNodeID()).isEqualTo("node-2");
    assertThat(volumes.endpoint("demo")).isEqualTo("nbd://127.0.0.1:10809/demo");
    assertThat(tickets().keySet()).containsExactly("api-node-2");
    assertThat(tickets().get("api-node-2").type()).isEqualTo("api");
    assertThat(tickets().get("api-node-2").nodeID()).isEqualTo("node-2");
  }

  @Test
  void attachToAnyNodeLeavesTheNodeOpen() throws Exception {
    attachments.attach("demo", ANY, PATIENT);
    assertThat(tickets().get("api").nodeID()).isEmpty();
  }

  @Test
  void ticketOfAHostNamesItsNode() throws Exception {
    attachments.attach("demo", "api-mount-node-2", NODE_1, Optional.of("node-2"), PATIENT);
    attachments.admit("demo", "api-export-1", "node-3", FakeControllers.THEN);
    attachments.admit("demo", "api-export-1", "node-3", FakeControllers.THEN.plusSeconds(60));

    assertThat(tickets().get("api-mount-node-2").nodes())
        .containsExactlyInAnyOrder("node-1", "node-2");
    assertThat(tickets().get("api-export-1").nodes()).containsExactly("node-3");
    assertThat(tickets().get("api-export-1").expiresAt())
        .contains(FakeControllers.THEN.plusSeconds(60));
  }

  @Test
  void attachTwiceChangesNothing() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    Map<String, AttachmentTicket> once = tickets();
    attachments.attach("demo", NODE_1, PATIENT);
    assertThat(tickets()).isEqualTo(once);
  }

  @Test
  void attachToAMissingNodeFailsWithoutATicket() throws Exception {
    assertFails(
            ErrorCode.NOT_FOUND, () -> attachments.attach("demo", Optional.of("node-9"), PATIENT))
        .hasMessage("node node-9 does not exist: see 'holdfast node list'");
    assertThat(tickets()).isEmpty();
  }

  @Test
  void attachThatOtherTicketsPreventNamesThem() throws Exception {
    addTicket("demo", "csi-4711", "csi-attacher", "node-2");
    awaitAttached("node-2");

    assertFails(
            ErrorCode.TIMEOUT,
            () -> attachments.attach("demo", NODE_1, reporting(Duration.ofMillis(50))))
        .hasMessageEndingWith("waits: attached to node-2 by ticket csi-4711");
    assertThat(progress).contains("volume demo: waits: attached to node-2 by ticket csi-4711");
  }

  @Test
  void attachIsNotAnsweredByTheStatusOfAnEarlierTicket() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    long earlier = tickets().get("api-node-1").generation();
    attachments.detach("demo", ANY, PATIENT);
    controllers.close(); // so that no controller tidies up
    controllers.status(
        VolumeAttachment.KIND,
        "demo",
        a ->
            a.withStatus(
                a.status()
                    .withAttachmentTicketStatuses(
                        Map.of(
                            "api-node-1",
                            AttachmentTicketStatus.of("api-node-1", true, List.of(), earlier)))));

    attachments.attach("demo", NODE_1, Waiting.none());

    assertThat(tickets().get("api-node-1").generation()).isGreaterThan(earlier);
  }

  /** A Kubernetes API server leaves the number of a ticket that kubectl changes. */
  @Test
  void attachIsNotAnsweredByTheStatusOfAnotherContentUnderTheSameNumber() throws Exception {
    controllers.holdBackAttaching();
    attachments.attach("demo", NODE_1, Waiting.none());
    AttachmentTicket now = tickets().get("api-node-1");
    AttachmentTicketStatus earlier =
        new AttachmentTicketStatus(
            now.id(), true, List.of(), now.generation(), now.withNodeID("node-2").contentHash());
    controllers.status(
        VolumeAttachment.KIND,
        "demo",
        a -> a.withStatus(a.status().withAttachmentTicketStatuses(Map.of(now.id(), earlier))));
    controllers.status(
        Volume.KIND,
        "demo",
        v ->
            v.withStatus(
                v.status()
                    .withState(VolumeState.ATTACHED)
                    .withEndpoint("nbd://node-2:10809/demo")));

    assertFails(ErrorCode.TIMEOUT, () -> attachments.attach("demo", NODE_1, SHORT))
        .hasMessageStartingWith("volume demo");
  }

  @Test
  void attachThatIsNotSatisfiedGivesTheTicketsReason() throws Exception {
    controllers.holdBackAttaching();
    attachments.attach("demo", NODE_1, Waiting.none());
    Volume volume = volumes.get("demo");
    Condition condition =
        new Condition(
            "Satisfied", Condition.Status.FALSE, "NodeNotReady", "", FakeControllers.THEN);
    VolumeAttachment attachment =
        store
            .get(VolumeAttachment.KIND, "demo")
            .orElseThrow()
            .withStatus(
                dev.holdfast.resource.attachment.VolumeAttachmentStatus.EMPTY
                    .withAttachmentTicketStatuses(
                        Map.of(
                            "api-node-1",
                            AttachmentTicketStatus.of(
                                "api-node-1",
                                false,
                                List.of(condition),
                                tickets().get("api-node-1").generation()))));

    assertThat(TicketProgress.whyNotAttached(volume, Optional.of(attachment), "api-node-1"))
        .isEqualTo("NodeNotReady (volume is detached)");
  }

  @Test
  void attachOfAVolumeThatIsBeingDeletedFails() throws Exception {
    controllers.holdBackDeleting();
    volumes.delete("demo", Waiting.none());
    assertFails(ErrorCode.BUSY, () -> attachments.attach("demo", ANY, PATIENT))
        .hasMessage("volume demo is being deleted and cannot be attached");
  }

  @Test
  void attachRightAfterCreateWaitsForTheAttachment() throws Exception {
    volumes.create(VolumeRequest.of("other", "1Gi"), Waiting.none());
    assertThat(attachments.attach("other", ANY, PATIENT).status().currentNodeID())
        .isEqualTo("node-1");
  }

  @Test
  void detachRemovesAllTicketsOfUsers() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    attachments.attach("demo", ANY, PATIENT);

    Detached result = attachments.detach("demo", ANY, PATIENT);

    assertThat(result.node()).isEmpty();
    assertThat(tickets()).isEmpty();
  }

  @Test
  void detachFromANodeLeavesOtherTickets() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    attachments.attach("demo", Optional.of("node-2"), Waiting.none());

    attachments.detach("demo", Optional.of("node-2"), PATIENT);

    assertThat(tickets().keySet()).containsExactly("api-node-1");
  }

  @Test
  void detachReportsOtherTicketsThatHoldTheVolume() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    addTicket("demo", "csi-4711", "csi-attacher", "node-1");

    Detached result = attachments.detach("demo", ANY, PATIENT);

    assertThat(result.node()).isEqualTo("node-1");
    assertThat(result.holders()).containsExactly("csi-4711");
    assertThat(tickets().keySet()).containsExactly("csi-4711");
  }

  @Test
  void ticketIsDeletedWhenItsAttacherIsUninstalled() throws Exception {
    addTicket("demo", "keep-demo", "keep-attached", "node-1");
    awaitAttached("node-1");
    controllers.close(); // so that the status of the tickets stays as it is
    assertFails(ErrorCode.CONFLICT, () -> attachments.deleteTicket("demo", "keep-demo", false))
        .hasMessageContaining("its attacher keep-attached is installed")
        .hasMessageEndingWith("'holdfast ticket delete demo keep-demo --force'");
    uninstalled("keep-demo");

    assertThat(attachments.deleteTicket("demo", "keep-demo", false).type())
        .isEqualTo("keep-attached");
    assertThat(tickets()).isEmpty();
    assertFails(ErrorCode.NOT_FOUND, () -> attachments.deleteTicket("demo", "keep-demo", false))
        .hasMessage("volume demo has no ticket keep-demo: it has none");
  }

  @Test
  void ticketOfAnInstalledAttacherIsDeletedByForceAlone() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    addTicket("demo", "csi-1", "csi-attacher", "node-1");
    assertFails(ErrorCode.CONFLICT, () -> attachments.deleteTicket("demo", "csi-1", false));
    assertFails(ErrorCode.NOT_FOUND, () -> attachments.deleteTicket("demo", "csi-2", true))
        .hasMessage("volume demo has no ticket csi-2: it has api-node-1, csi-1");
    assertThat(attachments.deleteTicket("demo", "csi-1", true).id()).isEqualTo("csi-1");
    assertThat(tickets().keySet()).containsExactly("api-node-1");
  }

  private void uninstalled(String ticket) throws Exception {
    Condition absent =
        new Condition(
            "AttacherAvailable",
            Condition.Status.FALSE,
            "AttacherUnavailable",
            "",
            FakeControllers.THEN);
    controllers.status(
        VolumeAttachment.KIND,
        "demo",
        a ->
            a.withStatus(
                a.status()
                    .withAttachmentTicketStatuses(
                        Map.of(
                            ticket, AttachmentTicketStatus.of(ticket, true, List.of(absent), 1)))));
  }

  @Test
  void detachOfADetachedVolumeSucceeds() throws Exception {
    assertThat(attachments.detach("demo", ANY, PATIENT).node()).isEmpty();
  }

  /** Deletes the volume as soon as its tickets change, before a client can look at it again. */
  private final class DeletingStore extends ForwardingResourceStore {
    DeletingStore() {
      super(store);
    }

    @Override
    public <R extends Resource<R>> R update(R resource) throws StorageException {
      R updated = super.update(resource);
      if (updated.resourceKind().equals(VolumeAttachment.KIND)) {
        store.delete(Volume.KIND, "demo", "");
        Optional<Volume> going = store.get(Volume.KIND, "demo");
        if (going.isPresent()) {
          store.update(going.get().withMetadata(going.get().metadata().withFinalizers(List.of())));
        }
      }
      return updated;
    }
  }

  @Test
  void detachSucceedsWhenTheVolumeIsDeletedWithIt() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);
    controllers.close();
    Detached result = new Attachments(new DeletingStore()).detach("demo", ANY, PATIENT);
    assertThat(result.node()).isEmpty();
    assertThat(result.holders()).isEmpty();
  }

  @Test
  void attachForATimeSetsItsEnd() throws Exception {
    Optional<Instant> end = Optional.of(Instant.parse("2030-01-01T00:00:00Z"));
    attachments.attach("demo", NODE_1, end, PATIENT);
    assertThat(tickets().get("api-node-1").expiresAt()).isEqualTo(end);
    attachments.attach("demo", NODE_1, PATIENT);
    assertThat(tickets().get("api-node-1").expiresAt()).isEmpty();
  }

  @Test
  void detachAllRemovesTicketsOfOthers() throws Exception {
    addTicket("demo", "csi-1", "csi-attacher", "node-2");
    awaitAttached("node-2");
    Detached result = attachments.detachAll("demo", Optional.empty(), PATIENT);
    assertThat(tickets()).isEmpty();
    assertThat(result.holders()).isEmpty();
  }

  @Test
  void detachAllFromOneNodeKeepsTicketsForOtherNodes() throws Exception {
    addTicket("demo", "csi-1", "csi-attacher", "node-2");
    addTicket("demo", "csi-2", "csi-attacher", "node-1");

    Detached result = attachments.detachAll("demo", Optional.of("node-2"), PATIENT);

    assertThat(tickets().keySet()).containsExactly("csi-2");
    // The ticket of the other node may not have been followed yet.
    assertThat(result.holders()).isSubsetOf("csi-2");
  }

  @Test
  void detachAllDoesNotWaitForNodeThatIsNotReady() throws Exception {
    addTicket("demo", "csi-1", "csi-attacher", "node-2");
    awaitAttached("node-2");
    controllers.holdBackAttaching();
    Condition silent =
        new Condition("Ready", Condition.Status.UNKNOWN, "Silent", "", FakeControllers.THEN);
    Node node = store.get(Node.KIND, "node-2").orElseThrow();
    store.updateStatus(node.withStatus(node.status().withConditions(List.of(silent))));

    Detached result = attachments.detachAll("demo", Optional.empty(), PATIENT);

    assertThat(result.holders()).isEmpty();
    assertThat(result.node()).isEqualTo("node-2");
    assertThat(tickets()).isEmpty();
  }

  @Test
  void detachFromUnknownNodeIsRefused() throws Exception {
    attachments.attach("demo", NODE_1, PATIENT);

    assertFails(
            ErrorCode.NOT_FOUND, () -> attachments.detach("demo", Optional.of("nowhere"), PATIENT))
        .hasMessageContaining("node nowhere does not exist: see 'holdfast node list'");

    assertThat(tickets().keySet()).containsExactly("api-node-1");
  }

  @Test
  void detachFromRemovedNodeTakesItsTicketBack() throws Exception {
    addTicket("demo", "api-gone", "api", "gone");

    attachments.detach("demo", Optional.of("gone"), Waiting.none());

    assertThat(tickets()).isEmpty();
  }
}
