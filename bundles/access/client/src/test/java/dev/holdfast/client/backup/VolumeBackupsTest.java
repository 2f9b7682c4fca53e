package dev.holdfast.client.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests for backups are refused where the controllers could not fulfil them. */
class VolumeBackupsTest {
  private static final BackupSpec OF_VOL = BackupSpec.EMPTY.withVolume("vol");

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final VolumeBackups backups = new VolumeBackups(store);

  @BeforeEach
  void prepare() throws StorageException {
    store.create(Volume.of("vol", VolumeSpec.EMPTY.withSize(Quantity.parse("8Mi"))));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private BackupTarget addTarget(String url) throws StorageException {
    return backups.addTarget(
        BackupTarget.DEFAULT_NAME, BackupTargetSpec.EMPTY.withBackupTargetURL(url), Waiting.none());
  }

  @Test
  void backupNeedsItsVolumeAndItsTarget() throws Exception {
    assertThatThrownBy(() -> backups.create("b-1", OF_VOL, Waiting.none()))
        .hasMessage(
            "backup target default does not exist: add it with 'holdfast backup add-target URL'");
    addTarget("file:///backups");
    assertThatThrownBy(
            () -> backups.create("b-1", BackupSpec.EMPTY.withVolume("absent"), Waiting.none()))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    backups.create("b-1", OF_VOL, Waiting.none());

    assertThat(backups.list(Optional.of("vol"), Optional.empty()).items())
        .extracting(Backup::name)
        .containsExactly("b-1");
    assertThat(backups.list(Optional.of("other"), Optional.empty()).items()).isEmpty();
    assertThat(backups.list(Optional.empty(), Optional.of("other")).items()).isEmpty();
  }

  @Test
  void targetThatKeepsBackupsStays() throws Exception {
    addTarget("file:///backups");
    backups.create("b-1", OF_VOL, Waiting.none());

    assertThatThrownBy(() -> backups.removeTarget(BackupTarget.DEFAULT_NAME))
        .hasMessageContaining("it keeps backups of this cluster: backup b-1: delete them first");
    backups.delete("b-1", Waiting.none());
    backups.removeTarget(BackupTarget.DEFAULT_NAME);
    assertThat(backups.targets().items()).isEmpty();
  }

  @Test
  void targetThatKeepsBackupsOfImagesOrOfTheSystemStays() throws Exception {
    addTarget("file:///backups");
    store.create(SystemBackup.of("weekly", SystemBackupSpec.EMPTY));
    BackupBackingImage image = BackupBackingImage.of(BackupTarget.DEFAULT_NAME, "debian");
    store.create(image.withSpec(image.spec().withUserCreated(true)));

    assertThatThrownBy(() -> backups.removeTarget(BackupTarget.DEFAULT_NAME))
        .hasMessageContaining("system backup weekly")
        .hasMessageContaining("backup of image debian");
    store.delete(SystemBackup.KIND, "weekly", "");
    assertThatThrownBy(() -> backups.removeTarget(BackupTarget.DEFAULT_NAME))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    store.delete(BackupBackingImage.KIND, image.name(), "");
    SystemBackup foreign = SystemBackup.of("foreign", SystemBackupSpec.EMPTY);
    store.create(
        foreign.withMetadata(foreign.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, "x"))));
    store.create(BackupBackingImage.of(BackupTarget.DEFAULT_NAME, "foreign"));
    backups.removeTarget(BackupTarget.DEFAULT_NAME);
    assertThat(backups.targets().items()).isEmpty();
  }

  @Test
  void discoveredBackupIsDeletedAtTheTargetAndKeepsNoTarget() throws Exception {
    addTarget("file:///backups");
    Backup found = Backup.of("b-1", OF_VOL);
    store.create(
        found.withMetadata(found.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, "x"))));
    backups.delete("b-1", Waiting.none());

    Backup deleted = store.get(Backup.KIND, "b-1").orElseThrow();
    assertThat(deleted.isBeingDeleted()).isTrue();
    assertThat(deleted.metadata().finalizers()).containsExactly(Backup.FINALIZER);
    backups.removeTarget(BackupTarget.DEFAULT_NAME);
  }

  @Test
  void scanIsAwaitedAndAVolumeDeletedWithItsBackups() throws Exception {
    BackupScans scans = new BackupScans(store);
    assertThatThrownBy(() -> scans.scan("default", Waiting.none()))
        .hasMessage("backup target default does not exist: see 'holdfast backup targets'");
    addTarget("file:///backups");
    BackupTarget asked = scans.scan("default", Waiting.none());
    assertThat(asked.spec().syncRequest()).isNotEmpty();
    assertThatThrownBy(() -> scans.deleteVolume("default", "vol", Waiting.none()))
        .hasMessageContaining("has no volume vol as of its last scan");
    BackupVolume volume = store.create(BackupVolume.of("default", "vol"));
    assertThat(scans.volumes(Optional.of("other")).items()).isEmpty();
    scans.deleteVolume("default", "vol", Waiting.none());

    assertThat(store.get(BackupVolume.KIND, volume.name()).orElseThrow().metadata().finalizers())
        .containsExactly(Backup.FINALIZER);
  }

  @Test
  void wrongAddressesAndNamesAreRefused() {
    assertThatThrownBy(() -> addTarget("/backups"))
        .hasMessageContaining("spec.backupTargetURL")
        .hasMessageContaining("must be an address that names no backup");
    assertThatThrownBy(() -> addTarget("file:///backups?backup=b"))
        .hasMessageContaining("spec.backupTargetURL");
    assertThatThrownBy(() -> store.create(Backup.of("b", OF_VOL)))
        .hasMessageContaining("must be 2 to 63 characters");
    assertThatThrownBy(
            () ->
                store.create(
                    Volume.of(
                        "new",
                        VolumeSpec.EMPTY
                            .withSize(Quantity.parse("8Mi"))
                            .withFromBackup("file:///backups?backup=b1"))))
        .hasMessageContaining("spec.fromBackup")
        .hasMessageContaining("must be the address of a backup");
  }
}
