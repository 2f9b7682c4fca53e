package dev.holdfast.csi.internal.controller;

import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static dev.holdfast.csi.internal.FakePlatform.IMAGE_SIZE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.Volume;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes with a backing image, and snapshots that are images. */
class BackingImageClassTest {
  private static final String URL = "https://images.example/debian.qcow2";

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
    return driver
        .controller()
        .createVolume(
            volume(
                name,
                request -> {
                  request.setCapacityRange(
                      Csi.CapacityRange.newBuilder().setRequiredBytes(2 * IMAGE_SIZE));
                  change.accept(request);
                }))
        .getVolume();
  }

  private static void ofDebian(Csi.CreateVolumeRequest.Builder request) {
    request
        .putParameters("backingImage", "debian")
        .putParameters("backingImageDataSourceType", "download")
        .putParameters("backingImageDataSourceParameters", "{\"url\": \"" + URL + "\"}")
        .putParameters("backingImageMinNumberOfCopies", "2")
        .putParameters("backingImageNodeSelector", "ssd, fast");
  }

  private BackingImage image(String name) throws StorageException {
    return driver.store.get(BackingImage.KIND, name).orElseThrow();
  }

  private String imageOf(String volume) throws StorageException {
    return driver.store.get(Volume.KIND, volume).orElseThrow().spec().backingImage();
  }

  @Test
  void absentImageIsMadeOnceForAllVolumes() throws StorageException {
    create("pvc-1", BackingImageClassTest::ofDebian);
    create("pvc-2", BackingImageClassTest::ofDebian);

    BackingImageSpec spec = image("debian").spec();
    assertThat(spec.sourceType()).isEqualTo("download");
    assertThat(spec.sourceParameters()).isEqualTo(Map.of("url", URL));
    assertThat(spec.minNumberOfCopies()).isEqualTo(2);
    assertThat(spec.nodeSelector()).containsExactly("ssd", "fast");
    assertThat(imageOf("pvc-1")).isEqualTo("debian");
    assertThat(imageOf("pvc-2")).isEqualTo("debian");
  }

  @Test
  void presentImageIsTakenByItsNameAlone() throws StorageException {
    driver.store.create(BackingImage.of("debian", BackingImageSpec.EMPTY.withSourceType("upload")));
    create("pvc-1", request -> request.putParameters("backingImageName", "debian"));

    assertThat(imageOf("pvc-1")).isEqualTo("debian");
  }

  @Test
  void imageThatDiffersIsRefused() throws StorageException {
    driver.store.create(BackingImage.of("debian", BackingImageSpec.EMPTY.withSourceType("upload")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backingImageDataSourceType]: \"download\": image debian exists and has",
        () -> create("pvc-1", BackingImageClassTest::ofDebian));
  }

  @Test
  void everyWrongParameterIsNamed() {
    refused(
        Code.INVALID_ARGUMENT,
        "set backingImageDataSourceType",
        () -> create("pvc-1", request -> request.putParameters("backingImage", "none")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backingImageChecksum]: needs backingImage",
        () -> create("pvc-1", request -> request.putParameters("backingImageChecksum", "00")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backingImageName]: \"b\" is another image",
        () ->
            create(
                "pvc-1",
                request ->
                    request
                        .putParameters("backingImage", "a")
                        .putParameters("backingImageName", "b")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backingImageDataSourceParameters]",
        () ->
            create(
                "pvc-1",
                request -> {
                  ofDebian(request);
                  request.putParameters("backingImageDataSourceParameters", "url=x");
                }));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backingImageMinNumberOfCopies]: \"many\"",
        () ->
            create(
                "pvc-1",
                request -> {
                  ofDebian(request);
                  request.putParameters("backingImageMinNumberOfCopies", "many");
                }));
  }

  @Test
  void capacityBelowTheImageIsOutOfRange() {
    refused(
        Code.OUT_OF_RANGE,
        "what is copied has " + IMAGE_SIZE,
        () ->
            create(
                "pvc-1",
                request -> {
                  ofDebian(request);
                  request.setCapacityRange(
                      Csi.CapacityRange.newBuilder().setRequiredBytes(IMAGE_SIZE / 2));
                }));
  }

  @Test
  void failedImageIsReported() {
    driver.platform.deliversImages = false;
    refused(
        Code.INTERNAL,
        "the address is refused",
        () -> create("pvc-1", BackingImageClassTest::ofDebian));
  }

  private static Csi.CreateSnapshotRequest snapshot(String name, String volume) {
    return Csi.CreateSnapshotRequest.newBuilder()
        .setName(name)
        .setSourceVolumeId(volume)
        .putParameters("type", "bi")
        .putParameters("export-type", "qcow2")
        .build();
  }

  @Test
  void snapshotOfTypeBiIsAnImageOfTheVolume() throws StorageException {
    String source = driver.created("pvc-1");
    Csi.Snapshot made = driver.controller().createSnapshot(snapshot("s-1", source)).getSnapshot();

    assertThat(made.getSnapshotId()).isEqualTo("bi://s-1");
    assertThat(made.getReadyToUse()).isTrue();
    assertThat(made.getSizeBytes()).isEqualTo(IMAGE_SIZE);
    assertThat(made.getSourceVolumeId()).isEqualTo(source);
    assertThat(image("s-1").spec().sourceParameters())
        .isEqualTo(Map.of("volume-name", source, "export-type", "qcow2"));
    assertThat(driver.controller().createSnapshot(snapshot("s-1", source)).getSnapshot())
        .isEqualTo(made);
    refused(
        Code.ALREADY_EXISTS,
        "image s-1 exists",
        () -> driver.controller().createSnapshot(snapshot("s-1", driver.created("pvc-2"))));
    assertThat(
            driver
                .controller()
                .getSnapshot(Csi.GetSnapshotRequest.newBuilder().setSnapshotId("bi://s-1").build())
                .getSnapshot())
        .isEqualTo(made);
  }

  private static Consumer<Csi.CreateVolumeRequest.Builder> from(String snapshot) {
    return request ->
        request.setVolumeContentSource(
            Csi.VolumeContentSource.newBuilder()
                .setSnapshot(
                    Csi.VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(snapshot)));
  }

  private static Csi.DeleteSnapshotRequest deletion(String id) {
    return Csi.DeleteSnapshotRequest.newBuilder().setSnapshotId(id).build();
  }

  @Test
  void volumeFromSuchASnapshotUsesTheImage() throws StorageException {
    String source = driver.created("pvc-1");
    String id =
        driver.controller().createSnapshot(snapshot("s-1", source)).getSnapshot().getSnapshotId();
    Csi.Volume made = create("pvc-2", from(id));

    assertThat(imageOf("pvc-2")).isEqualTo("s-1");
    assertThat(made.getContentSource().getSnapshot().getSnapshotId()).isEqualTo(id);
    assertThat(create("pvc-2", from(id))).isEqualTo(made);
    refused(
        Code.NOT_FOUND,
        "snapshot \"bi://none\" does not exist",
        () -> create("pvc-3", from("bi://none")));
    refused(
        Code.FAILED_PRECONDITION,
        "volumes use it: pvc-2",
        () -> driver.controller().deleteSnapshot(deletion(id)));
  }

  @Test
  void unusedImageIsDeletedWithItsSnapshot() throws StorageException {
    String source = driver.created("pvc-1");
    String id =
        driver.controller().createSnapshot(snapshot("s-1", source)).getSnapshot().getSnapshotId();

    assertThat(driver.controller().deleteSnapshot(deletion(id))).isNotNull();
    assertThat(driver.store.get(BackingImage.KIND, "s-1")).isEmpty();
    assertThat(driver.controller().deleteSnapshot(deletion(id))).isNotNull();
  }
}
