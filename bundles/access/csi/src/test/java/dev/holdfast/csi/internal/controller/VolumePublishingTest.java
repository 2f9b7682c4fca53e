package dev.holdfast.csi.internal.controller;

import static dev.holdfast.csi.internal.Driver.NODE;
import static dev.holdfast.csi.internal.Driver.block;
import static dev.holdfast.csi.internal.Driver.mounted;
import static dev.holdfast.csi.internal.Driver.publication;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static dev.holdfast.csi.internal.Driver.waitsFor;
import static dev.holdfast.csi.internal.Driver.writer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumePublishingTest {
  @TempDir Path directory;
  private Driver driver;

  @BeforeEach
  void start() throws StorageException {
    driver = Driver.start(directory);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private Collection<AttachmentTicket> tickets(String volume) throws StorageException {
    return driver
        .store
        .get(VolumeAttachment.KIND, volume)
        .orElseThrow()
        .spec()
        .attachmentTickets()
        .values();
  }

  private void publishRefused(
      Code code, String message, Csi.ControllerPublishVolumeRequest request) {
    refused(code, message, () -> driver.controller().controllerPublishVolume(request));
  }

  @Test
  void aTicketNamedLikeKubernetesOwnAttachesTheVolume() throws StorageException {
    String id = driver.created("pvc-1");
    driver.published(id, NODE, writer());
    driver.published(id, NODE, writer());

    assertThat(tickets(id))
        .singleElement()
        .satisfies(
            ticket -> {
              // printf 'pvc-1csi.holdfast.devnode-1' | sha256sum
              assertThat(ticket.id())
                  .isEqualTo(
                      "csi-b41bfbfb4cc54c8eb0f503787918dedb22a0daf37c005a5c2bc1dd8bbc78d263");
              assertThat(ticket.type()).isEqualTo("csi-attacher");
              assertThat(ticket.nodeID()).isEqualTo(NODE);
            });
    driver.unpublished(id, NODE);
    driver.unpublished(id, NODE);
    assertThat(tickets(id)).isEmpty();
    assertThat(driver.store.get(Volume.KIND, id).orElseThrow().status().currentNodeID()).isEmpty();
  }

  /** As the volume controller derives it for a store without VolumeAttachments. */
  private void derive(String id) throws StorageException {
    VolumeAttachment attachment = driver.store.get(VolumeAttachment.KIND, id).orElseThrow();
    AttachmentTicket derived =
        attachment
            .spec()
            .attachmentTickets()
            .values()
            .iterator()
            .next()
            .withParameters(Map.of("disableFrontend", "false", "imported", "true"));
    driver.store.update(
        attachment.withSpec(
            attachment.spec().withAttachmentTickets(Map.of(derived.id(), derived))));
  }

  @Test
  void derivedTicketIsFoundByPublishAndUnpublish() throws StorageException {
    String id = driver.created("pvc-1");
    driver.published(id, NODE, writer());
    derive(id);
    driver.published(id, NODE, writer());
    assertThat(tickets(id))
        .singleElement()
        .satisfies(t -> assertThat(t.parameters()).containsEntry("csiNode", NODE));
    derive(id);
    driver.unpublished(id, NODE);
    assertThat(tickets(id)).isEmpty();
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    String id = driver.created("pvc-1");
    publishRefused(Code.INVALID_ARGUMENT, "volume_id", publication("", NODE, writer()));
    publishRefused(Code.INVALID_ARGUMENT, "node_id", publication(id, "", writer()));
    publishRefused(
        Code.INVALID_ARGUMENT,
        "volume_capability: is missing",
        publication(id, NODE, writer()).toBuilder().clearVolumeCapability().build());
    publishRefused(Code.NOT_FOUND, "no volume \"none\"", publication("none", NODE, writer()));
    publishRefused(Code.NOT_FOUND, "no node \"none\"", publication(id, "none", writer()));
    publishRefused(
        Code.INVALID_ARGUMENT,
        "was made for rwo",
        publication(id, NODE, block(Mode.MULTI_NODE_MULTI_WRITER)));
    refused(
        Code.INVALID_ARGUMENT,
        "volume_id",
        () ->
            driver
                .controller()
                .controllerUnpublishVolume(
                    Csi.ControllerUnpublishVolumeRequest.getDefaultInstance()));
  }

  @Test
  void reportsTheNodeOfAPublishedVolume() {
    String id = driver.created("pvc-1");
    driver.published(id, NODE, writer());
    publishRefused(
        Code.FAILED_PRECONDITION,
        "is published on node node-1 as SINGLE_NODE_WRITER, mount",
        publication(id, "node-2", writer()));
    publishRefused(
        Code.ALREADY_EXISTS,
        "is published on node node-1 already",
        publication(id, NODE, writer()).toBuilder().setReadonly(true).build());
    driver.unpublished(id, NODE);
    driver.published(id, "node-2", writer());
  }

  @Test
  void readersOnOtherNodesUseTheOneEngine() throws StorageException {
    Csi.VolumeCapability reader = mounted(Mode.MULTI_NODE_READER_ONLY);
    String id =
        driver
            .controller()
            .createVolume(volume("pvc-1", r -> r.setVolumeCapabilities(0, reader)))
            .getVolume()
            .getVolumeId();
    driver.published(id, NODE, reader);
    driver.published(id, "node-2", reader);

    assertThat(tickets(id)).hasSize(2).allMatch(ticket -> ticket.nodeID().equals(NODE));
    assertThat(
            driver
                .controller()
                .controllerGetVolume(
                    Csi.ControllerGetVolumeRequest.newBuilder().setVolumeId(id).build())
                .getStatus()
                .getPublishedNodeIdsList())
        .containsExactly(NODE, "node-2");
    publishRefused(Code.INVALID_ARGUMENT, "was made for rox", publication(id, NODE, writer()));
  }

  @Test
  void derivedTicketOfAReaderLetsOthersReadOnOtherNodes() throws StorageException {
    Csi.VolumeCapability reader = mounted(Mode.MULTI_NODE_READER_ONLY);
    String id =
        driver
            .controller()
            .createVolume(volume("pvc-1", r -> r.setVolumeCapabilities(0, reader)))
            .getVolume()
            .getVolumeId();
    driver.published(id, NODE, reader);
    derive(id);
    driver.published(id, "node-2", reader);
    assertThat(tickets(id)).hasSize(2);
  }

  @Test
  void volumesOfANodeAreLimited() {
    driver.published(driver.created("pvc-1"), NODE, writer());
    driver.published(driver.created("pvc-2"), NODE, writer());
    String third = driver.created("pvc-3");

    publishRefused(
        Code.RESOURCE_EXHAUSTED, "node node-1 has 2 volumes", publication(third, NODE, writer()));
    driver.published("pvc-2", NODE, writer());
    driver.published(third, "node-2", writer());
  }

  @Test
  void waitingPublicationReportsItsReasonAndContinues() throws StorageException {
    String id = driver.created("pvc-1");
    driver.platform.attaches = false;
    waitsFor(
        "volume is detached",
        () -> driver.impatient().controllerPublishVolume(publication(id, NODE, writer())));

    driver.platform.attaches = true;
    driver.platform.resume();
    driver.published(id, NODE, writer());
  }

  /** The first call took the ticket back and died; the volume is still on its way. */
  @Test
  void aRepeatedUnpublishWaitsUntilTheVolumeIsOff() throws StorageException {
    String id = driver.created("pvc-1");
    driver.published(id, NODE, writer());
    driver.platform.attaches = false;
    var request =
        Csi.ControllerUnpublishVolumeRequest.newBuilder().setVolumeId(id).setNodeId(NODE).build();
    for (int attempt = 0; attempt < 2; attempt++) {
      waitsFor("volume is attached", () -> driver.impatient().controllerUnpublishVolume(request));
    }
    driver.platform.attaches = true;
    driver.platform.resume();
    driver.unpublished(id, NODE);
  }

  @Test
  void aVolumeThatMovesIsOnTwoNodesAndNoMore() throws StorageException {
    Csi.VolumeCapability mover = block(Mode.MULTI_NODE_MULTI_WRITER);
    String id =
        driver
            .controller()
            .createVolume(volume("pvc-1", r -> r.setVolumeCapabilities(0, mover)))
            .getVolume()
            .getVolumeId();
    driver.platform.addNode("node-3");
    driver.published(id, NODE, mover);
    driver.published(id, "node-2", mover);
    assertThat(tickets(id)).extracting(AttachmentTicket::nodeID).containsOnly(NODE, "node-2");
    publishRefused(
        Code.FAILED_PRECONDITION,
        "is published on nodes node-1 and node-2, and can be on no more than two",
        publication(id, "node-3", mover));
    driver.unpublished(id, NODE);
    driver.published(id, "node-3", mover);
  }

  @Test
  void aSharedVolumeThatCannotMoveIsNotADeviceOnManyNodes() throws StorageException {
    String id = driver.created("pvc-1");
    Volume shared = driver.store.get(Volume.KIND, id).orElseThrow();
    driver.store.create(
        Volume.of("shared", shared.spec().withAccessMode(AccessMode.READ_WRITE_MANY)));
    publishRefused(
        Code.INVALID_ARGUMENT,
        "volume_capability.access_type: volume shared cannot be a device",
        publication("shared", NODE, block(Mode.MULTI_NODE_MULTI_WRITER)));
  }

  @Test
  void unpublishWithoutANodeRemovesAllTickets() throws StorageException {
    Csi.VolumeCapability mover = block(Mode.MULTI_NODE_MULTI_WRITER);
    String id =
        driver
            .controller()
            .createVolume(volume("pvc-1", r -> r.setVolumeCapabilities(0, mover)))
            .getVolume()
            .getVolumeId();
    driver.published(id, NODE, mover);
    driver.unpublished(id, "");
    driver.unpublished("none", "");

    assertThat(tickets(id)).isEmpty();
  }
}
