package dev.holdfast.csi.internal.snapshot;

import static dev.holdfast.csi.internal.Driver.refused;
import static dev.holdfast.csi.internal.Driver.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.internal.FakePlatform;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupMode;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.restore.RestoreDamaged;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of type bak, and volumes that are restored from them. */
class CsiBackupsTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir Path directory;
  private Driver driver;
  private String source;

  @BeforeEach
  void start() throws StorageException {
    driver = Driver.start(directory);
    addTarget(BackupTarget.DEFAULT_NAME);
    source = driver.created("pvc-1");
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private void addTarget(String name) throws StorageException {
    driver.store.create(
        BackupTarget.of(name, BackupTargetSpec.EMPTY.withBackupTargetURL("file:///b")));
  }

  private Csi.CreateSnapshotRequest.Builder backup(String name) {
    return Csi.CreateSnapshotRequest.newBuilder()
        .setName(name)
        .setSourceVolumeId(source)
        .putParameters("type", "bak");
  }

  private Csi.Snapshot create(Csi.CreateSnapshotRequest.Builder request) {
    return driver.controller().createSnapshot(request.build()).getSnapshot();
  }

  /** Repeats a call as the orchestrator does, until the backup is complete. */
  private Csi.Snapshot complete(Csi.CreateSnapshotRequest.Builder request) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    Csi.Snapshot made = create(request);
    while (!made.getReadyToUse()) {
      assertThat(System.nanoTime()).as("not within %s", LIMIT).isLessThan(deadline);
      made = create(request);
    }
    return made;
  }

  private Csi.Volume restored(String name, String snapshot) {
    return driver
        .controller()
        .createVolume(
            volume(
                name,
                request ->
                    request.setVolumeContentSource(
                        Csi.VolumeContentSource.newBuilder()
                            .setSnapshot(
                                Csi.VolumeContentSource.SnapshotSource.newBuilder()
                                    .setSnapshotId(snapshot)))))
        .getVolume();
  }

  private List<String> listed() {
    return driver
        .controller()
        .listSnapshots(Csi.ListSnapshotsRequest.getDefaultInstance())
        .getEntriesList()
        .stream()
        .map(entry -> entry.getSnapshot().getSnapshotId())
        .toList();
  }

  private void delete(String snapshot) {
    assertThat(
            driver
                .controller()
                .deleteSnapshot(
                    Csi.DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot).build()))
        .isNotNull();
  }

  @Test
  void backupOfAnotherClusterHasItsNameAtTheTarget() throws StorageException {
    Backup found =
        Backup.of("first-0123abcd", BackupSpec.EMPTY.withVolume("logs").withNameAtTarget("First"));
    Backup stored =
        driver.store.create(
            found.withMetadata(
                found.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, "logs-1"))));
    driver.store.updateStatus(
        stored.withStatus(
            BackupStatus.EMPTY
                .withState(BackupState.COMPLETED)
                .withUrl("file:///b?backup=First&volume=logs")
                .withVolumeSize(Quantity.parse("8Mi"))
                .withSnapshotCreatedAt(Optional.of(Instant.parse("2026-11-20T23:22:58Z")))));
    assertThat(listed()).containsExactly("bak://logs/First");

    restored("pvc-2", "bak://logs/First");
    assertThat(driver.store.list(Volume.KIND, LabelSelector.ALL).items())
        .extracting(volume -> volume.spec().fromBackup())
        .contains("file:///b?backup=First&volume=logs");
    driver.store.delete(Backup.KIND, "first-0123abcd", "");
    assertThat(listed()).isEmpty();
  }

  @Test
  void backupIsMadeOnceAndFollowed() throws StorageException {
    addTarget("far");
    driver.platform.backupState = BackupState.IN_PROGRESS;
    Csi.CreateSnapshotRequest.Builder request =
        backup("snapshot-1")
            .putParameters("backupTargetName", "far")
            .putParameters("backupMode", "full");
    Csi.Snapshot begun = create(request);
    assertThat(begun.getSnapshotId()).isEqualTo("bak://pvc-1/snapshot-1");
    assertThat(begun.getReadyToUse()).isFalse();
    assertThat(begun.getCreationTime().getSeconds()).isEqualTo(FakePlatform.THEN.getEpochSecond());

    driver.platform.backupState = BackupState.COMPLETED;
    driver.platform.resume();
    Csi.Snapshot complete = complete(request);
    assertThat(complete.getSnapshotId()).isEqualTo(begun.getSnapshotId());
    assertThat(complete.getSizeBytes()).isEqualTo(Driver.SIZE);
    Backup made = driver.store.get(Backup.KIND, "snapshot-1").orElseThrow();
    assertThat(made.spec().backupTargetName()).isEqualTo("far");
    assertThat(made.spec().backupMode()).isEqualTo(BackupMode.FULL);
    assertThat(listed()).containsExactly("bak://pvc-1/snapshot-1");
    request.setSourceVolumeId(driver.created("pvc-2"));
    refused(Code.ALREADY_EXISTS, "is not one of this name and volume", () -> create(request));
  }

  @Test
  void failedBackupIsDeletedSoThatItCanBeRetried() throws StorageException {
    driver.platform.backupState = BackupState.ERROR;
    driver.platform.backupError = "the target is full";
    refused(Code.INTERNAL, "the target is full", () -> create(backup("snapshot-1")));
    assertThat(driver.store.get(Backup.KIND, "snapshot-1")).isEmpty();
    driver.platform.backupState = BackupState.COMPLETED;
    driver.platform.backupError = "";
    assertThat(create(backup("snapshot-1")).getReadyToUse()).isTrue();
  }

  @Test
  void deletionIsRepeatable() throws StorageException {
    String id = create(backup("snapshot-1")).getSnapshotId();
    delete("bak://other/snapshot-1");
    assertThat(driver.store.get(Backup.KIND, "snapshot-1")).isPresent();
    delete(id);
    delete(id);
    delete("bak://pvc-1/../x");
    assertThat(driver.store.get(Backup.KIND, "snapshot-1")).isEmpty();
    refused(
        Code.NOT_FOUND,
        "snapshot \"bak://pvc-1/snapshot-1\" does not exist",
        () ->
            driver
                .controller()
                .getSnapshot(Csi.GetSnapshotRequest.newBuilder().setSnapshotId(id).build()));
  }

  @Test
  void volumeIsRestoredFromBackup() throws StorageException {
    String id = create(backup("snapshot-1")).getSnapshotId();
    Csi.Volume made = restored("pvc-2", id);
    assertThat(made.getContentSource().getSnapshot().getSnapshotId()).isEqualTo(id);
    VolumeSpec spec = driver.store.get(Volume.KIND, "pvc-2").orElseThrow().spec();
    assertThat(spec.fromBackup()).isEqualTo("file:///b?backup=snapshot-1&volume=pvc-1");
    assertThat(restored("pvc-2", id)).isEqualTo(made);
    refused(
        Code.ALREADY_EXISTS,
        "it has another content source",
        () -> restored("pvc-2", "bak://pvc-1/snapshot-2"));
  }

  @Test
  void modeOfTheClassCountsForVolumesThatAreRestored() throws StorageException {
    String id = create(backup("snapshot-1")).getSnapshotId();
    driver
        .controller()
        .createVolume(
            volume(
                "pvc-2",
                request ->
                    request
                        .putParameters("restoreMode", "lazy")
                        .putParameters("restoreDamaged", "zero")
                        .setVolumeContentSource(
                            Csi.VolumeContentSource.newBuilder()
                                .setSnapshot(
                                    Csi.VolumeContentSource.SnapshotSource.newBuilder()
                                        .setSnapshotId(id)))));
    driver
        .controller()
        .createVolume(volume("pvc-3", request -> request.putParameters("restoreMode", "lazy")));

    VolumeSpec lazy = driver.store.get(Volume.KIND, "pvc-2").orElseThrow().spec();
    assertThat(lazy.restoreMode()).isEqualTo(RestoreMode.LAZY);
    assertThat(lazy.restoreDamaged()).isEqualTo(RestoreDamaged.ZERO);
    VolumeSpec empty = driver.store.get(Volume.KIND, "pvc-3").orElseThrow().spec();
    assertThat(empty.restoreMode()).isEqualTo(RestoreMode.WHOLE);
  }

  @Test
  void backupUsesTheTargetOfItsVolumeUnlessTheClassNamesOne() throws StorageException {
    Volume volume = driver.store.get(Volume.KIND, source).orElseThrow();
    driver.store.update(volume.withSpec(volume.spec().withBackupTargetName("remote")));
    refused(
        Code.NOT_FOUND,
        "backup target \"remote\" does not exist",
        () -> create(backup("snapshot-1")));
    var unused = create(backup("snapshot-1").putParameters("backupTargetName", "default"));
    assertThat(driver.store.get(Backup.KIND, "snapshot-1").orElseThrow().spec())
        .extracting(BackupSpec::backupTargetName)
        .isEqualTo("default");
  }

  @Test
  void unknownBackupIsSearchedAtTheDefaultTarget() throws StorageException {
    restored("pvc-2", "bs://elsewhere/backup-1");
    VolumeSpec spec = driver.store.get(Volume.KIND, "pvc-2").orElseThrow().spec();
    assertThat(spec.fromBackup()).isEqualTo("file:///b?backup=backup-1&volume=elsewhere");
    refused(
        Code.NOT_FOUND,
        "does not exist; bak:// is followed by the names",
        () -> restored("pvc-3", "bak://a&x=1/backup-1"));
    driver.store.delete(BackupTarget.KIND, BackupTarget.DEFAULT_NAME, "");
    refused(
        Code.NOT_FOUND,
        "holdfast backup add-target",
        () -> restored("pvc-3", "bak://elsewhere/backup-1"));
  }

  @Test
  void backupThatIsNotCompleteCannotBeRestored() throws StorageException {
    driver.platform.backupState = BackupState.IN_PROGRESS;
    String id = create(backup("snapshot-1")).getSnapshotId();
    refused(Code.UNAVAILABLE, "its backup is not complete", () -> restored("pvc-2", id));
  }

  @Test
  void everyWrongParameterIsNamed() {
    refused(
        Code.NOT_FOUND,
        "parameters[backupTargetName]: backup target \"far\" does not exist",
        () -> create(backup("s-1").putParameters("backupTargetName", "far")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[backupMode]: \"all\": expected incremental or full",
        () -> create(backup("s-1").putParameters("backupMode", "all")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[export-type]: is not known for type bak",
        () -> create(backup("s-1").putParameters("export-type", "raw")));
    refused(
        Code.INVALID_ARGUMENT,
        "parameters[type]: \"tape\" is not supported: use snap, bi or bak",
        () -> create(backup("s-1").putParameters("type", "tape")));
  }
}
