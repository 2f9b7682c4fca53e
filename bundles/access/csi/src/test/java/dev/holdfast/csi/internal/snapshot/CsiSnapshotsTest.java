package dev.holdfast.csi.internal.snapshot;

import static dev.holdfast.csi.internal.Driver.NODE;
import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static dev.holdfast.csi.internal.Driver.waitsFor;
import static dev.holdfast.csi.internal.Driver.writer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.internal.FakePlatform;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsiSnapshotsTest {
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

  private static Csi.CreateSnapshotRequest snapshot(String name, String volume) {
    return Csi.CreateSnapshotRequest.newBuilder().setName(name).setSourceVolumeId(volume).build();
  }

  private void deleted(String snapshot) {
    assertThat(
            driver
                .controller()
                .deleteSnapshot(
                    Csi.DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot).build()))
        .isNotNull();
  }

  private List<String> listed(Csi.ListSnapshotsRequest request) {
    return driver.controller().listSnapshots(request).getEntriesList().stream()
        .map(entry -> entry.getSnapshot().getSnapshotId())
        .toList();
  }

  @Test
  void takesASnapshotOnce() {
    String id = driver.created("pvc-1");
    Csi.Snapshot first = driver.controller().createSnapshot(snapshot("s 1", id)).getSnapshot();
    Csi.Snapshot again = driver.controller().createSnapshot(snapshot("s 1", id)).getSnapshot();

    assertThat(again).isEqualTo(first);
    assertThat(first.getReadyToUse()).isTrue();
    assertThat(first.getSizeBytes()).isEqualTo(Driver.SIZE);
    assertThat(first.getSourceVolumeId()).isEqualTo(id);
    assertThat(first.getCreationTime().getSeconds()).isEqualTo(FakePlatform.THEN.getEpochSecond());
    refused(
        Code.ALREADY_EXISTS,
        "is one of volume pvc-1",
        () -> driver.controller().createSnapshot(snapshot("s 1", driver.created("pvc-2"))));
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    String id = driver.created("pvc-1");
    refused(
        Code.INVALID_ARGUMENT,
        "name: is missing",
        () -> driver.controller().createSnapshot(snapshot("", id)));
    refused(
        Code.INVALID_ARGUMENT,
        "source_volume_id: is missing",
        () -> driver.controller().createSnapshot(snapshot("s", "")));
    refused(
        Code.NOT_FOUND,
        "there is no volume \"none\"",
        () -> driver.controller().createSnapshot(snapshot("s", "none")));
    refused(
        Code.INVALID_ARGUMENT,
        "use snap, bi or bak",
        () ->
            driver
                .controller()
                .createSnapshot(
                    snapshot("s", id).toBuilder().putParameters("type", "tape").build()));
    refused(
        Code.INVALID_ARGUMENT,
        "snapshot_id: is missing",
        () -> driver.controller().deleteSnapshot(Csi.DeleteSnapshotRequest.getDefaultInstance()));
    refused(
        Code.INVALID_ARGUMENT,
        "snapshot_id: is missing",
        () -> driver.controller().getSnapshot(Csi.GetSnapshotRequest.getDefaultInstance()));
    refused(
        Code.NOT_FOUND,
        "there is no snapshot",
        () ->
            driver
                .controller()
                .getSnapshot(Csi.GetSnapshotRequest.newBuilder().setSnapshotId("none").build()));
  }

  @Test
  void failedSnapshotIsDeletedSoThatItCanBeRetried() throws StorageException {
    String id = driver.created("pvc-1");
    driver.platform.snapshotError = "no room";
    refused(
        Code.INTERNAL, "no room", () -> driver.controller().createSnapshot(snapshot("s-1", id)));
    assertThat(driver.store.get(Snapshot.KIND, "s-1")).isEmpty();

    driver.platform.snapshotError = "";
    assertThat(driver.taken("s-1", id)).isEqualTo("s-1");
  }

  @Test
  void aSnapshotThatIsNotTakenYetIsNotListed() throws StorageException {
    String id = driver.created("pvc-1");
    driver.platform.takesSnapshots = false;
    waitsFor("snapshot s-1", () -> driver.impatient().createSnapshot(snapshot("s-1", id)));
    assertThat(listed(Csi.ListSnapshotsRequest.getDefaultInstance())).isEmpty();

    driver.platform.takesSnapshots = true;
    driver.platform.resume();
    assertThat(driver.taken("s-1", id)).isEqualTo("s-1");
  }

  @Test
  void listsPageByPage() throws StorageException {
    String one = driver.created("pvc-1");
    String two = driver.created("pvc-2");
    for (String name : List.of("a", "b", "c")) {
      driver.taken(name, name.equals("b") ? two : one);
    }
    Snapshot forCopy = Snapshot.of("clone-1", SnapshotSpec.EMPTY.withVolume(one));
    driver.store.create(
        forCopy.withMetadata(
            ObjectMeta.named("clone-1").withLabels(Map.of("holdfast.dev/clone", "x"))));

    var first =
        driver
            .controller()
            .listSnapshots(Csi.ListSnapshotsRequest.newBuilder().setMaxEntries(2).build());
    deleted("b");

    assertThat(first.getEntriesCount()).isEqualTo(2);
    assertThat(
            listed(
                Csi.ListSnapshotsRequest.newBuilder()
                    .setStartingToken(first.getNextToken())
                    .build()))
        .containsExactly("c");
    assertThat(listed(Csi.ListSnapshotsRequest.newBuilder().setSourceVolumeId(one).build()))
        .containsExactly("a", "c");
    assertThat(listed(Csi.ListSnapshotsRequest.newBuilder().setSnapshotId("c").build()))
        .containsExactly("c");
    refused(
        Code.ABORTED,
        "starting_token",
        () -> listed(Csi.ListSnapshotsRequest.newBuilder().setStartingToken("x").build()));
  }

  @Test
  void aVolumeWithSnapshotsOrWorkloadsStays() {
    String id = driver.created("pvc-1");
    driver.taken("s-1", id);
    driver.published(id, NODE, writer());
    var request = Csi.DeleteVolumeRequest.newBuilder().setVolumeId(id).build();

    refused(
        Code.FAILED_PRECONDITION,
        "is in use on node-1",
        () -> driver.controller().deleteVolume(request));
    driver.unpublished(id, NODE);
    refused(
        Code.FAILED_PRECONDITION, "has snapshots", () -> driver.controller().deleteVolume(request));
    deleted("s-1");
    deleted("s-1");
    assertThat(driver.controller().deleteVolume(request)).isNotNull();
    assertThat(driver.controller().deleteVolume(request)).isNotNull();
  }

  @Test
  void snapshotOfTheSystemDoesNotKeepItsVolumeEvenWithoutAStatus() throws StorageException {
    String id = driver.created("pvc-1");
    driver.platform.takesSnapshots = false;
    var unused =
        driver.store.create(
            Snapshot.of(
                id + ".expand-1",
                SnapshotSpec.EMPTY
                    .withVolume(id)
                    .withCreateSnapshot(false)
                    .withSnapshotName("expand-1")));
    var request = Csi.DeleteVolumeRequest.newBuilder().setVolumeId(id).build();
    assertThat(driver.controller().deleteVolume(request)).isNotNull();
  }

  @Test
  void snapshotOfARunningCopyStays() throws StorageException {
    String id = driver.created("pvc-1");
    driver.taken("s-1", id);
    driver.platform.copies = false;
    waitsFor(
        "its copying",
        () ->
            driver
                .impatient()
                .createVolume(
                    volume(
                        "pvc-2",
                        r ->
                            r.getVolumeContentSourceBuilder()
                                .getSnapshotBuilder()
                                .setSnapshotId("s-1"))));

    refused(
        Code.FAILED_PRECONDITION,
        "is being copied into volume pvc-2",
        () ->
            driver
                .controller()
                .deleteSnapshot(
                    Csi.DeleteSnapshotRequest.newBuilder().setSnapshotId("s-1").build()));
  }

  private static Csi.CreateVolumeGroupSnapshotRequest group(String name, String... volumes) {
    return Csi.CreateVolumeGroupSnapshotRequest.newBuilder()
        .setName(name)
        .addAllSourceVolumeIds(List.of(volumes))
        .build();
  }

  @Test
  void aGroupIsASnapshotOfEachVolume() throws StorageException {
    String one = driver.created("pvc-1");
    String two = driver.created("pvc-2");
    Csi.VolumeGroupSnapshot made =
        driver.groups().createVolumeGroupSnapshot(group("g-1", one, two)).getGroupSnapshot();
    Csi.VolumeGroupSnapshot again =
        driver.groups().createVolumeGroupSnapshot(group("g-1", two, one)).getGroupSnapshot();

    assertThat(again).isEqualTo(made);
    assertThat(made.getGroupSnapshotId()).isEqualTo("g-1");
    assertThat(made.getReadyToUse()).isTrue();
    assertThat(made.getSnapshotsList())
        .extracting(Csi.Snapshot::getSourceVolumeId)
        .containsExactly(one, two);
    assertThat(made.getSnapshotsList()).allMatch(s -> s.getGroupSnapshotId().equals("g-1"));
    refused(
        Code.ALREADY_EXISTS,
        "is of the volumes pvc-1,pvc-2",
        () -> driver.groups().createVolumeGroupSnapshot(group("g-1", one)));
    refused(
        Code.INVALID_ARGUMENT,
        "belongs to group g-1",
        () ->
            driver
                .controller()
                .deleteSnapshot(
                    Csi.DeleteSnapshotRequest.newBuilder()
                        .setSnapshotId(made.getSnapshots(0).getSnapshotId())
                        .build()));
    var delete = Csi.DeleteVolumeGroupSnapshotRequest.newBuilder().setGroupSnapshotId("g-1");
    refused(
        Code.INVALID_ARGUMENT,
        "belongs to the group too",
        () ->
            driver
                .groups()
                .deleteVolumeGroupSnapshot(
                    delete.clone().addSnapshotIds(made.getSnapshots(0).getSnapshotId()).build()));
    assertThat(driver.groups().deleteVolumeGroupSnapshot(delete.build())).isNotNull();
    assertThat(driver.groups().deleteVolumeGroupSnapshot(delete.build())).isNotNull();
    assertThat(driver.store.list(Snapshot.KIND, LabelSelector.ALL).items()).isEmpty();
  }

  @Test
  void aGroupIsOfVolumesOnOneNode() {
    String one = driver.created("pvc-1");
    String two = driver.created("pvc-2");
    driver.published(one, NODE, writer());
    driver.published(two, "node-2", writer());

    refused(
        Code.FAILED_PRECONDITION,
        "in use on the nodes node-1, node-2",
        () -> driver.groups().createVolumeGroupSnapshot(group("g-1", one, two)));
    refused(
        Code.INVALID_ARGUMENT,
        "name: is missing",
        () -> driver.groups().createVolumeGroupSnapshot(group("", one)));
    refused(
        Code.INVALID_ARGUMENT,
        "source_volume_ids",
        () -> driver.groups().createVolumeGroupSnapshot(group("g-1")));
    refused(
        Code.NOT_FOUND,
        "there is no volume \"none\"",
        () -> driver.groups().createVolumeGroupSnapshot(group("g-1", "none")));
    refused(
        Code.NOT_FOUND,
        "there is no group snapshot",
        () ->
            driver
                .groups()
                .getVolumeGroupSnapshot(
                    Csi.GetVolumeGroupSnapshotRequest.newBuilder()
                        .setGroupSnapshotId("none")
                        .build()));
  }

  @Test
  void failedGroupIsDeletedAsAWhole() throws StorageException {
    String one = driver.created("pvc-1");
    String two = driver.created("pvc-2");
    driver.platform.snapshotError = "no room";

    refused(
        Code.INTERNAL,
        "no room",
        () -> driver.groups().createVolumeGroupSnapshot(group("g-1", one, two)));
    assertThat(driver.store.list(Snapshot.KIND, LabelSelector.ALL).items()).isEmpty();
    assertThat(driver.store.list(Volume.KIND, LabelSelector.ALL).items()).hasSize(2);
  }
}
