package dev.holdfast.csi.internal.controller;

import static dev.holdfast.csi.internal.Driver.block;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.DeclaredOption;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Storage classes of volumes in a volume group that two of three nodes see. */
class GroupClassTest {
  private static final String GROUP_UUID = "t3jtEB-Gimr";

  @TempDir Path directory;
  private Driver driver;

  @BeforeEach
  void start() throws StorageException {
    driver = Driver.start(directory);
    driver.platform.addNode("node-3");
    for (String name : List.of("node-1", "node-2", "node-3")) {
      report(name, name.equals("node-3") ? Map.of() : Map.of("vg0", group()));
    }
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private static DiskStatus group() {
    return DiskStatus.EMPTY
        .withDiskUUID(GROUP_UUID)
        .withType(DiskType.VOLUME_GROUP)
        .withEngine("lvm")
        .withShared(true);
  }

  /** Stores a node that reports the declaration of its engine lvm and its groups. */
  private void report(String name, Map<String, DiskStatus> groups) throws StorageException {
    Node node = driver.store.get(Node.KIND, name).orElseThrow();
    if (!groups.isEmpty()) {
      DiskSpec disk = DiskSpec.EMPTY.withPath("/dev/vg0").withType(DiskType.VOLUME_GROUP);
      node = driver.store.update(node.withSpec(node.spec().withDisks(Map.of("vg0", disk))));
    }
    EngineDisks disks =
        new EngineDisks(
            List.of(DiskType.VOLUME_GROUP), EngineDisks.SHARED_DISK, EngineDisks.DISK_LOCK);
    List<DeclaredOption> options =
        List.of(
            new DeclaredOption("mode", List.of("linear", "thin"), "thin", false),
            new DeclaredOption("wipe", List.of("full", "unsafe-fast"), "full", false));
    NodeStatus status =
        node.status()
            .withEngines(List.of("lvm"))
            .withFrontends(List.of("nbd", "device"))
            .withEngineOptions(Map.of("lvm", options))
            .withEngineCapabilities(
                Map.of("lvm", List.of("EXPANSION", "FORWARDING", "MULTI_NODE", "PLACEMENT")))
            .withEngineDisks(Map.of("lvm", disks))
            .withDiskStatus(groups);
    var unused = driver.store.updateStatus(node.withStatus(status));
  }

  private Csi.Volume create(Consumer<Csi.CreateVolumeRequest.Builder> change) {
    return driver
        .controller()
        .createVolume(
            volume(
                "pvc-1",
                request -> {
                  request
                      .putParameters("dataEngine", "lvm")
                      .putParameters("numberOfReplicas", "1")
                      .putParameters("frontend", "device");
                  change.accept(request);
                }))
        .getVolume();
  }

  private VolumeSpec created(Consumer<Csi.CreateVolumeRequest.Builder> change)
      throws StorageException {
    return driver.store.get(Volume.KIND, create(change).getVolumeId()).orElseThrow().spec();
  }

  @Test
  void thinVolumeIsADeviceOfTheKernel() throws StorageException {
    VolumeSpec spec = created(request -> request.putParameters("mode", "thin"));
    assertThat(spec.dataEngine()).isEqualTo("lvm");
    assertThat(spec.frontend()).isEqualTo("device");
    assertThat(spec.engineOptions()).isEqualTo(Map.of("mode", "thin"));
  }

  @Test
  void linearVolumeMayBeLeftUnwiped() throws StorageException {
    VolumeSpec spec =
        created(
            request ->
                request
                    .clearVolumeCapabilities()
                    .addVolumeCapabilities(block(Mode.SINGLE_NODE_WRITER))
                    .putParameters("mode", "linear")
                    .putParameters("wipe", "unsafe-fast"));
    assertThat(spec.engineOptions()).isEqualTo(Map.of("mode", "linear", "wipe", "unsafe-fast"));
  }

  @Test
  void valueThatTheEngineDoesNotHaveIsRefused() {
    refused(
        Code.INVALID_ARGUMENT,
        "spec.engineOptions[mode]",
        () -> create(request -> request.putParameters("mode", "thick")));
  }

  @Test
  void volumeIsAccessibleOnTheNodesThatSeeItsGroup() throws StorageException {
    var unused =
        driver.store.create(
            Replica.of(
                "pvc-1-r",
                ReplicaSpec.EMPTY
                    .withVolume("pvc-1")
                    .withDataEngine("lvm")
                    .withDataDirectoryName("pvc-1-1")
                    .withDiskUUID(GROUP_UUID)));
    assertThat(create(request -> {}).getAccessibleTopologyList())
        .extracting(topology -> topology.getSegmentsOrThrow(CsiNames.NODE_SEGMENT))
        .containsExactlyInAnyOrder("node-1", "node-2");
  }

  private static void onManyNodes(Csi.CreateVolumeRequest.Builder request) {
    request
        .clearVolumeCapabilities()
        .addVolumeCapabilities(block(Mode.MULTI_NODE_MULTI_WRITER))
        .putParameters("mode", "linear");
  }

  @Test
  void deviceOnSeveralNodesPassesThroughAFrontend() throws StorageException {
    VolumeSpec spec =
        created(
            request -> {
              onManyNodes(request);
              request.putParameters("frontend", "nbd");
            });
    assertThat(spec.migratable()).isTrue();
    assertThat(spec.engineOptions()).containsEntry("mode", "linear");
  }

  /** Only the node that has the volume open has that device. */
  @Test
  void deviceOfTheEngineOnSeveralNodesIsRefused() {
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[frontend]: device is on one node only",
        () -> create(GroupClassTest::onManyNodes));
  }
}
