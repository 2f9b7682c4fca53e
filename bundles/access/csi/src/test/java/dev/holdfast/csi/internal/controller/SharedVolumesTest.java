package dev.holdfast.csi.internal.controller;

import static dev.holdfast.csi.internal.Driver.NODE;
import static dev.holdfast.csi.internal.Driver.SIZE;
import static dev.holdfast.csi.internal.Driver.block;
import static dev.holdfast.csi.internal.Driver.mounted;
import static dev.holdfast.csi.internal.Driver.publication;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static dev.holdfast.csi.internal.Driver.waitsFor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.internal.server.CsiTickets;
import dev.holdfast.csi.v1.ControllerGrpc;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filesystems for many nodes: provisioned, published and grown as shares. */
class SharedVolumesTest {
  private static final Csi.VolumeCapability MANY = mounted(Mode.MULTI_NODE_MULTI_WRITER);

  @TempDir private Path directory;
  private Driver driver;

  @BeforeEach
  void start() throws StorageException {
    driver = Driver.start(directory);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private Csi.Volume create(String name, Consumer<Csi.CreateVolumeRequest.Builder> change) {
    return driver
        .controller()
        .createVolume(volume(name, r -> change.accept(r.setVolumeCapabilities(0, MANY))))
        .getVolume();
  }

  private String shared() {
    return create("pvc-1", r -> {}).getVolumeId();
  }

  private Volume stored(String id) throws StorageException {
    return driver.store.get(Volume.KIND, id).orElseThrow();
  }

  @Test
  void filesystemForManyNodesIsSharedAndDoesNotMoveInUse() throws StorageException {
    create("pvc-1", r -> r.putParameters("migratable", "true"));
    create("pvc-1", r -> r.putParameters("migratable", "true"));
    assertThat(stored("pvc-1").spec().accessMode()).isEqualTo(AccessMode.READ_WRITE_MANY);
    assertThat(stored("pvc-1").spec().migratable()).isFalse();
    assertThat(ShareManager.isShared(stored("pvc-1"))).isTrue();
    create("pvc-2", r -> r.setVolumeCapabilities(0, block(Mode.MULTI_NODE_MULTI_WRITER)));
    assertThat(ShareManager.isShared(stored("pvc-2"))).isFalse();
  }

  @Test
  void deviceAndFilesystemAreNotOneVolumeForManyWriters() {
    refused(
        Code.INVALID_ARGUMENT,
        "volume_capabilities: MULTI_NODE_MULTI_WRITER is for a block volume or for a filesystem",
        () -> create("pvc-1", r -> r.addVolumeCapabilities(block(Mode.MULTI_NODE_MULTI_WRITER))));
    shared();
    refused(
        Code.ALREADY_EXISTS,
        "it is for the access mode rwx",
        () ->
            create("pvc-1", r -> r.setVolumeCapabilities(0, block(Mode.MULTI_NODE_MULTI_WRITER))));
  }

  @Test
  void shareHasTheFilesystemAndTheMountOptionsOfItsClass() throws StorageException {
    for (int time = 0; time < 2; time++) {
      create(
          "pvc-1",
          r ->
              r.putParameters("nfsOptions", "vers=4.2,soft")
                  .putParameters("fsType", "ext4")
                  .putParameters("mkfsParams", "-I 256"));
    }
    ShareManagerSpec spec = driver.store.get(ShareManager.KIND, "pvc-1").orElseThrow().spec();
    assertThat(spec.mountOptions()).containsExactly("vers=4.2", "soft");
    assertThat(spec.filesystem().type()).isEqualTo("ext4");
    assertThat(spec.filesystem().formatOptions()).containsExactly("-I", "256");
    assertThat(spec.serve()).isFalse();
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[nfsOptions]: \"vers=3\": vers must be 4, 4.0, 4.1 or 4.2",
        () -> create("pvc-2", r -> r.putParameters("nfsOptions", "vers=3")));
  }

  @Test
  void encryptedShareHasTheSecretOfItsClass() throws StorageException {
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[shareKeySecret]: is missing: an encrypted filesystem for many nodes",
        () -> create("pvc-2", r -> r.putParameters("encrypted", "true")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[shareKeySecret]: \"No Name\": must be the name of a Secret",
        () ->
            create(
                "pvc-3",
                r ->
                    r.putParameters("encrypted", "true")
                        .putParameters("shareKeySecret", "No Name")));
    create(
        "pvc-1",
        r -> {
          r.putParameters("encrypted", "true").putParameters("shareKeySecret", "volume-key");
          r.getCapacityRangeBuilder().setRequiredBytes(4 * SIZE);
        });
    create("pvc-4", r -> r.putParameters("shareKeySecret", "volume-key"));
    assertThat(driver.store.get(ShareManager.KIND, "pvc-1").orElseThrow().spec().keySecret())
        .isEqualTo("volume-key");
    assertThat(driver.store.get(ShareManager.KIND, "pvc-4").orElseThrow().spec().isEncrypted())
        .as("a class without encryption")
        .isFalse();
  }

  @Test
  void classChangesOnlyItsPartOfAShareThatExists() throws StorageException {
    driver.store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume("pvc-1").withPort(2050)));
    create("pvc-1", r -> r.putParameters("nfsOptions", "soft"));
    ShareManagerSpec spec = driver.store.get(ShareManager.KIND, "pvc-1").orElseThrow().spec();
    assertThat(spec.port()).isEqualTo(2050);
    assertThat(spec.mountOptions()).containsExactly("soft");
  }

  @Test
  void shareIsPublishedOnAllNodes() throws StorageException {
    String id = shared();
    driver.platform.addNode("node-3");
    for (String node : new String[] {NODE, "node-2", "node-3", NODE}) {
      driver.published(id, node, MANY);
    }
    assertThat(CsiTickets.of(driver.store.get(VolumeAttachment.KIND, id).orElseThrow()))
        .extracting(AttachmentTicket::nodeID)
        .containsExactlyInAnyOrder(NODE, "node-2", "node-3");
    driver.unpublished(id, "node-2");
    driver.published(id, "node-2", MANY);
  }

  @Test
  void publishingWaitsForTheShareAndNotForTheDevice() throws StorageException {
    driver.platform.shareEndpoint = "";
    String id = shared();
    waitsFor(
        "volume is attached",
        () -> driver.impatient().controllerPublishVolume(publication(id, NODE, MANY)));
    driver.platform.shareEndpoint = "nfs://127.0.0.1:2049/share";
    driver.platform.resume();
    driver.published(id, NODE, MANY);
  }

  @Test
  void readersOfAShareAreOnTheirOwnNodes() throws StorageException {
    Csi.VolumeCapability reader = mounted(Mode.MULTI_NODE_READER_ONLY);
    String id = shared();
    driver.published(id, NODE, reader);
    driver.published(id, "node-2", reader);
    assertThat(CsiTickets.of(driver.store.get(VolumeAttachment.KIND, id).orElseThrow()))
        .extracting(AttachmentTicket::nodeID)
        .containsExactlyInAnyOrder(NODE, "node-2");
  }

  @Test
  void volumeIsUsedAsTheKindThatItIs() throws StorageException {
    String id = shared();
    refused(
        Code.INVALID_ARGUMENT,
        "volume_capability.access_type: volume pvc-1 cannot be a device",
        () ->
            driver
                .controller()
                .controllerPublishVolume(
                    publication(id, NODE, block(Mode.MULTI_NODE_MULTI_WRITER))));
    create("pvc-2", r -> r.setVolumeCapabilities(0, block(Mode.MULTI_NODE_MULTI_WRITER)));
    refused(
        Code.INVALID_ARGUMENT,
        "cannot be a filesystem on many nodes: it is migratable",
        () -> driver.controller().controllerPublishVolume(publication("pvc-2", NODE, MANY)));
    assertThat(validated(id, MANY).hasConfirmed()).isTrue();
    assertThat(validated(id, block(Mode.SINGLE_NODE_WRITER)).getMessage())
        .contains("cannot be a device");
  }

  private Csi.ValidateVolumeCapabilitiesResponse validated(
      String id, Csi.VolumeCapability capability) {
    return driver
        .controller()
        .validateVolumeCapabilities(
            Csi.ValidateVolumeCapabilitiesRequest.newBuilder()
                .setVolumeId(id)
                .addVolumeCapabilities(capability)
                .build());
  }

  @Test
  void growthOfAShareNeedsNothingOnTheNodesThatMountIt() {
    var request = Csi.ControllerExpandVolumeRequest.newBuilder().setVolumeId(shared());
    request.getCapacityRangeBuilder().setRequiredBytes(2 * SIZE);
    var grown = driver.controller().controllerExpandVolume(request.build());
    assertThat(grown.getCapacityBytes()).isEqualTo(2 * SIZE);
    assertThat(grown.getNodeExpansionRequired()).isFalse();
  }

  @Test
  void deletionWaitsForAShareThatNoWorkloadUses() throws StorageException {
    String id = shared();
    hold(id);
    waitsFor("the end of its share", () -> delete(driver.impatient(), id));
    assertThat(stored(id).isBeingDeleted()).isFalse();
    new StoreEditor(driver.store)
        .edit(
            VolumeAttachment.KIND,
            id,
            held -> held.withSpec(held.spec().withAttachmentTickets(Map.of())));
    assertThat(delete(driver.controller(), id)).isNotNull();
    assertThat(driver.store.get(Volume.KIND, id)).isEmpty();
  }

  @Test
  void deletionOfAVolumeThatAUserSharesIsRefused() throws StorageException {
    String id = shared();
    hold(id);
    new StoreEditor(driver.store)
        .edit(ShareManager.KIND, id, share -> share.withSpec(share.spec().withServe(true)));
    refused(
        Code.FAILED_PRECONDITION,
        "by ticket share (share-manager-controller)",
        () -> delete(driver.controller(), id));
  }

  /** Attaches a volume by the ticket of its share. */
  private void hold(String id) throws StorageException {
    AttachmentTicket ticket =
        AttachmentTicket.of("share", ShareManager.ATTACHER, NODE, Map.of(), 0);
    var unused =
        new Attachments(driver.store).attachBy(id, ticket, Waiting.upTo(Duration.ofSeconds(20)));
  }

  private static Csi.DeleteVolumeResponse delete(
      ControllerGrpc.ControllerBlockingStub controller, String id) {
    return controller.deleteVolume(Csi.DeleteVolumeRequest.newBuilder().setVolumeId(id).build());
  }
}
