package dev.holdfast.csi.internal.controller;

import static dev.holdfast.csi.internal.Driver.SIZE;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeProvisioningTest {
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

  private Csi.Volume create(String name, Consumer<Csi.CreateVolumeRequest.Builder> change) {
    return driver.controller().createVolume(volume(name, change)).getVolume();
  }

  private void createRefused(
      Code code, String message, Consumer<Csi.CreateVolumeRequest.Builder> change) {
    refused(code, message, () -> create("pvc-1", change));
  }

  private Volume stored(String id) throws StorageException {
    return driver.store.get(Volume.KIND, id).orElseThrow();
  }

  @Test
  void classSelectsRecurringJobs() throws StorageException {
    var unused =
        driver
            .controller()
            .createVolume(
                volume(
                    "pvc-1",
                    r -> r.putParameters("recurringJobSelector", "[{\"name\": \"nightly\"}]")));
    assertThat(driver.store.get(Volume.KIND, "pvc-1").orElseThrow().metadata().labels())
        .containsEntry("recurring-job.holdfast.dev/nightly", "enabled");
  }

  @Test
  void createsTheVolumeThatTheClassDescribes() throws StorageException {
    Csi.Volume made =
        create(
            "pvc-1",
            r ->
                r.putParameters("numberOfReplicas", "2")
                    .putParameters("dataLocality", "best-effort")
                    .putParameters("cloneMode", "full-copy")
                    .putParameters("diskSelector", "fast, ssd")
                    .putParameters("fsType", "xfs")
                    .putParameters("csi.storage.k8s.io/pvc/name", "data")
                    .setCapacityRange(Csi.CapacityRange.newBuilder().setRequiredBytes(400L << 20))
                    .putAttributeParameters("writeIops", "100"));

    Volume volume = stored("pvc-1");
    assertThat(made.getVolumeId()).isEqualTo("pvc-1");
    assertThat(made.getCapacityBytes()).isEqualTo(400L << 20);
    assertThat(made.getVolumeContextMap()).isEqualTo(Map.of("fsType", "xfs"));
    assertThat(volume.spec().numberOfReplicas()).isEqualTo(2);
    assertThat(volume.spec().dataLocality()).hasToString("best-effort");
    assertThat(volume.spec().cloneMode()).hasToString("full-copy");
    assertThat(volume.spec().diskSelector()).containsExactly("fast", "ssd");
    assertThat(volume.spec().qos().writeIops()).isEqualTo(100);
    assertThat(volume.metadata().annotations())
        .containsEntry("csi.holdfast.dev/pvc-name", "data")
        .allSatisfy((name, text) -> assertThat(name).matches("[a-z0-9.-]+/[A-Za-z0-9._-]+"));
  }

  @Test
  void nodeReceivesTheOptionsOfTheFilesystem() throws StorageException {
    Csi.Volume made = create("pvc-1", r -> r.putParameters("mkfsParams", "-I 256 -O ^64bit"));
    assertThat(made.getVolumeContextMap()).isEqualTo(Map.of("mkfsParams", "-I 256 -O ^64bit"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[mkfsParams]: \"-d /etc\": must be options of mkfs",
        r -> r.putParameters("mkfsParams", "-d /etc"));
  }

  @Test
  void nodeReceivesThatTheVolumeIsEncrypted() throws StorageException {
    Csi.Volume made =
        create(
            "pvc-1",
            r ->
                r.putParameters("encrypted", "true")
                    .setCapacityRange(Csi.CapacityRange.newBuilder().setRequiredBytes(64L << 20)));
    assertThat(made.getVolumeContextMap()).isEqualTo(Map.of("encrypted", "true"));
    assertThat(create("pvc-2", r -> r.putParameters("encrypted", "false")).getVolumeContextMap())
        .isEmpty();
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[encrypted]: \"yes\": must be true or false",
        r -> r.putParameters("encrypted", "yes"));
  }

  @Test
  void anEncryptedVolumeHasRoomForItsHeader() {
    createRefused(
        Code.OUT_OF_RANGE,
        "encrypted volume needs at least 17825792 bytes",
        r ->
            r.putParameters("encrypted", "true")
                .setCapacityRange(Csi.CapacityRange.newBuilder().setRequiredBytes(16L << 20)));
    createRefused(
        Code.OUT_OF_RANGE,
        "xfs needs at least",
        r ->
            r.putParameters("encrypted", "true")
                .putParameters("fsType", "xfs")
                .setCapacityRange(Csi.CapacityRange.newBuilder().setRequiredBytes(310L << 20)));
  }

  @Test
  void roundsSizesUp() {
    assertThat(
            create("pvc-1", r -> r.getCapacityRangeBuilder().setRequiredBytes(SIZE + 1))
                .getCapacityBytes())
        .isEqualTo(SIZE + 4096);
    assertThat(
            create("pvc-2", Csi.CreateVolumeRequest.Builder::clearCapacityRange).getCapacityBytes())
        .isEqualTo(1L << 30);
  }

  @Test
  void findsTheVolumeOfAnEarlierCall() throws StorageException {
    Csi.Volume first = create("A name that no resource can have", r -> {});
    Csi.Volume again = create("A name that no resource can have", r -> {});

    assertThat(again).isEqualTo(first);
    assertThat(first.getVolumeId()).matches("a-name-that-no-resource-can-have-[0-9a-f]{12}");
    assertThat(driver.store.list(Volume.KIND, LabelSelector.ALL).items()).hasSize(1);
  }

  @Test
  void manyCallersGetOneVolume() throws StorageException {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return driver.created("pvc-1");
                } catch (io.grpc.StatusRuntimeException e) {
                  return e.getStatus().getCode().name();
                }
              }));
    }
    List<String> outcomes = calls.stream().map(CompletableFuture::join).toList();

    assertThat(outcomes).contains("pvc-1").isSubsetOf("pvc-1", "ABORTED");
    assertThat(driver.store.list(Volume.KIND, LabelSelector.ALL).items()).hasSize(1);
  }

  @Test
  void reportsTheDifferenceToAnExistingVolumeOfTheName() throws StorageException {
    create("pvc-1", r -> {});
    createRefused(
        Code.ALREADY_EXISTS,
        "it has 16777216 bytes",
        r -> r.getCapacityRangeBuilder().setRequiredBytes(2 * SIZE));
    createRefused(
        Code.ALREADY_EXISTS,
        "it was made with the parameters",
        r -> r.putParameters("numberOfReplicas", "1"));
    createRefused(
        Code.ALREADY_EXISTS,
        "access mode rwo",
        r ->
            r.clearVolumeCapabilities()
                .addVolumeCapabilities(Driver.block(Mode.MULTI_NODE_MULTI_WRITER)));
    driver.created("pvc-0");
    createRefused(
        Code.ALREADY_EXISTS,
        "another content source",
        r -> r.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId("pvc-0"));
    driver.store.create(Volume.of("by-hand", stored("pvc-1").spec()));
    refused(Code.ALREADY_EXISTS, "not made under this name", () -> create("by-hand", r -> {}));
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    refused(Code.INVALID_ARGUMENT, "name: is missing", () -> create("", r -> {}));
    createRefused(
        Code.INVALID_ARGUMENT, "volume_capabilities: is missing", r -> r.clearVolumeCapabilities());
    createRefused(
        Code.INVALID_ARGUMENT,
        "volume_capabilities[0].access_type",
        r -> r.setVolumeCapabilities(0, Csi.VolumeCapability.getDefaultInstance()));
    createRefused(
        Code.INVALID_ARGUMENT,
        "volume_capabilities[0].access_mode: is missing",
        r -> r.setVolumeCapabilities(0, Driver.mounted(Mode.UNKNOWN)));
    createRefused(
        Code.INVALID_ARGUMENT,
        "MULTI_NODE_SINGLE_WRITER is not supported",
        r -> r.setVolumeCapabilities(0, Driver.mounted(Mode.MULTI_NODE_SINGLE_WRITER)));
    createRefused(
        Code.INVALID_ARGUMENT,
        "supported are ext4, xfs",
        r ->
            r.setVolumeCapabilities(
                0,
                Driver.writer().toBuilder()
                    .setMount(Csi.VolumeCapability.MountVolume.newBuilder().setFsType("ntfs"))));
    createRefused(
        Code.INVALID_ARGUMENT,
        "limit_bytes",
        r -> r.getCapacityRangeBuilder().setLimitBytes(SIZE - 1));
    createRefused(
        Code.INVALID_ARGUMENT,
        "required_bytes: must not be negative",
        r -> r.getCapacityRangeBuilder().setRequiredBytes(-1));
  }

  @Test
  void listsTheKnownParameters() {
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[standby]: is not known, or what it is for is not there yet; known are",
        r -> r.putParameters("standby", "true"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[restoreMode]: \"fast\": must be one of [whole, lazy]",
        r -> r.putParameters("restoreMode", "fast"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[recurringJobSelector]: \"nightly\": expected a JSON list",
        r -> r.putParameters("recurringJobSelector", "nightly"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "mutable_parameters[dataEngine]",
        r -> r.putAttributeParameters("dataEngine", "sparse"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[numberOfReplicas]: \"many\" is not a number",
        r -> r.putParameters("numberOfReplicas", "many"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[dataLocality]: \"near\": must be one of [disabled, best-effort, strict-local]",
        r -> r.putParameters("dataLocality", "near"));
    createRefused(
        Code.INVALID_ARGUMENT,
        "spec.numberOfReplicas",
        r -> r.putParameters("numberOfReplicas", "0"));
  }

  @Test
  void refusesSizesThatCannotBe() {
    createRefused(
        Code.OUT_OF_RANGE,
        "limit_bytes",
        r -> r.getCapacityRangeBuilder().setRequiredBytes(5000).setLimitBytes(6000));
    createRefused(Code.OUT_OF_RANGE, "xfs needs at least", r -> r.putParameters("fsType", "xfs"));
    createRefused(
        Code.OUT_OF_RANGE,
        "8 EiB",
        r -> r.getCapacityRangeBuilder().setRequiredBytes(Long.MAX_VALUE));
  }

  @Test
  void copiesVolumesAndSnapshots() throws StorageException {
    String source = driver.created("pvc-1");
    String snapshot = driver.taken("snap-1", source);

    Csi.Volume restored =
        create(
            "pvc-2",
            r -> r.getVolumeContentSourceBuilder().getSnapshotBuilder().setSnapshotId(snapshot));
    Csi.Volume copy =
        create(
            "pvc-3", r -> r.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(source));

    assertThat(restored.getContentSource().getSnapshot().getSnapshotId()).isEqualTo("snap-1");
    assertThat(copy.getContentSource().getVolume().getVolumeId()).isEqualTo("pvc-1");
    assertThat(stored("pvc-2").spec().cloneSource().orElseThrow().snapshot()).isEqualTo("snap-1");
    refused(
        Code.OUT_OF_RANGE,
        "what is copied has 16777216 bytes",
        () ->
            create(
                "pvc-4",
                r -> {
                  r.getCapacityRangeBuilder().setRequiredBytes(SIZE / 2);
                  r.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(source);
                }));
  }

  @Test
  void reportsAMissingSource() {
    createRefused(
        Code.NOT_FOUND,
        "there is no snapshot \"none\"",
        r -> r.getVolumeContentSourceBuilder().getSnapshotBuilder().setSnapshotId("none"));
    createRefused(
        Code.NOT_FOUND,
        "there is no volume \"none\"",
        r -> r.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId("none"));
  }

  @Test
  void refusesATopologyWithoutANode() {
    createRefused(
        Code.RESOURCE_EXHAUSTED,
        "accessibility_requirements",
        r ->
            r.getAccessibilityRequirementsBuilder()
                .addRequisiteBuilder()
                .putSegments(CsiNames.NODE_SEGMENT, "elsewhere"));
    assertThat(
            create(
                    "pvc-1",
                    r ->
                        r.getAccessibilityRequirementsBuilder()
                            .addRequisiteBuilder()
                            .putSegments(CsiNames.NODE_SEGMENT, "node-2"))
                .getVolumeId())
        .isEqualTo("pvc-1");
  }

  @Test
  void reportsTheTopologyOfAVolume() throws StorageException {
    Csi.Topology.Builder second =
        Csi.Topology.newBuilder().putSegments(CsiNames.NODE_SEGMENT, "node-2");
    Csi.Topology.Builder first =
        Csi.Topology.newBuilder().putSegments(CsiNames.NODE_SEGMENT, "node-1");

    create(
        "pvc-1",
        r ->
            r.getAccessibilityRequirementsBuilder()
                .addRequisite(first)
                .addRequisite(second)
                .addPreferred(second)
                .addPreferred(first));
    create("pvc-2", r -> {});

    assertThat(stored("pvc-1").metadata().annotations())
        .containsEntry(CsiVolumes.EXPECTED_ON, "node-2");
    assertThat(stored("pvc-2").metadata().annotations()).doesNotContainKey(CsiVolumes.EXPECTED_ON);
  }

  @Test
  void reportsWhyItIsNotDoneInTimeAndContinues() throws StorageException {
    driver.platform.makes = false;
    refused(
        Code.DEADLINE_EXCEEDED,
        "",
        () -> driver.impatient().createVolume(volume("pvc-1", r -> {})));

    driver.platform.makes = true;
    driver.platform.resume();
    assertThat(driver.created("pvc-1")).isEqualTo("pvc-1");
  }

  @Test
  void claimDecidesWhetherAVolumeCanMigrate() throws StorageException {
    Csi.VolumeCapability many = Driver.block(Mode.MULTI_NODE_MULTI_WRITER);

    create("pvc-3", r -> r.setVolumeCapabilities(0, many).putParameters("migratable", "true"));
    create("pvc-2", r -> r.putParameters("migratable", "true"));

    assertThat(stored("pvc-3").spec().migratable()).isTrue();
    assertThat(stored("pvc-2").spec().migratable()).isFalse();
    createRefused(
        Code.INVALID_ARGUMENT,
        "parameters[migratable]",
        r -> r.setVolumeCapabilities(0, many).putParameters("migratable", "false"));
  }

  @Test
  void blockVolumesForManyWritersCanMove() throws StorageException {
    create("pvc-1", r -> r.setVolumeCapabilities(0, Driver.block(Mode.MULTI_NODE_MULTI_WRITER)));

    assertThat(stored("pvc-1").spec().accessMode()).isEqualTo(AccessMode.READ_WRITE_MANY);
    assertThat(stored("pvc-1").spec().migratable()).isTrue();
  }

  @Test
  void modifiesMutableParameters() throws StorageException {
    String id = driver.created("pvc-1");
    var request = Csi.ControllerModifyVolumeRequest.newBuilder().setVolumeId(id);

    var unused =
        driver
            .controller()
            .controllerModifyVolume(
                request
                    .putMutableParameters("numberOfReplicas", "1")
                    .putMutableParameters("bandwidth", "10Mi")
                    .build());

    assertThat(stored(id).spec().numberOfReplicas()).isEqualTo(1);
    assertThat(stored(id).spec().qos().bandwidth().bytes()).isEqualTo(10L << 20);
    refused(
        Code.INVALID_ARGUMENT,
        "mutable_parameters[dataEngine]",
        () ->
            driver
                .controller()
                .controllerModifyVolume(request.putMutableParameters("dataEngine", "x").build()));
    refused(
        Code.NOT_FOUND,
        "there is no volume",
        () ->
            driver
                .controller()
                .controllerModifyVolume(
                    Csi.ControllerModifyVolumeRequest.newBuilder().setVolumeId("none").build()));
  }

  @Test
  void growsAndNeverShrinks() throws StorageException {
    String id = driver.created("pvc-1");
    var request = Csi.ControllerExpandVolumeRequest.newBuilder().setVolumeId(id);
    request.getCapacityRangeBuilder().setRequiredBytes(2 * SIZE);

    var grown = driver.controller().controllerExpandVolume(request.build());
    var again = driver.controller().controllerExpandVolume(request.build());

    assertThat(grown.getCapacityBytes()).isEqualTo(2 * SIZE);
    assertThat(grown.getNodeExpansionRequired()).isTrue();
    assertThat(again).isEqualTo(grown);
    assertThat(stored(id).spec().size().bytes()).isEqualTo(2 * SIZE);
    request.getCapacityRangeBuilder().setRequiredBytes(SIZE).setLimitBytes(SIZE);
    refused(
        Code.OUT_OF_RANGE,
        "cannot shrink",
        () -> driver.controller().controllerExpandVolume(request.build()));
    refused(
        Code.INVALID_ARGUMENT,
        "capacity_range: is missing",
        () -> driver.controller().controllerExpandVolume(request.clearCapacityRange().build()));
  }
}
