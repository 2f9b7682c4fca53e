package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.backup.ImageBackups;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests for backups of images, and of those that other clusters made. */
class ImageBackupsTest {
  private static final String TARGET = BackupTarget.DEFAULT_NAME;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ImageBackups backups = new ImageBackups(store);

  @BeforeEach
  void prepare() throws StorageException {
    BackingImage image =
        store.create(BackingImage.of("base", BackingImageSpec.EMPTY.withSourceType("upload")));
    store.updateStatus(image.withStatus(image.status().withContentChecksum("own")));
    store.create(
        BackupTarget.of(TARGET, BackupTargetSpec.EMPTY.withBackupTargetURL("file:///backups")));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Adds what a scan of the target finds. */
  private void found(String contentChecksum) throws StorageException {
    BackupBackingImage entry = store.create(BackupBackingImage.of(TARGET, "base"));
    store.updateStatus(
        entry.withStatus(
            entry
                .status()
                .withState(BackupState.COMPLETED)
                .withContentChecksum(contentChecksum)
                .withChecksum("ab")));
  }

  @Test
  void backupNeedsItsImageAndItsTarget() {
    for (String[] names : new String[][] {{"absent", TARGET}, {"base", "absent"}}) {
      assertThatThrownBy(() -> backups.create(names[0], names[1], Waiting.none()))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
          .hasMessageContaining("absent");
    }
  }

  @Test
  void failedBackupIsTriedAgainByTheNextRequest() throws Exception {
    BackupBackingImage first = backups.create("base", TARGET, Waiting.none());
    assertThat(first.spec().userCreated()).isTrue();
    store.updateStatus(
        first.withStatus(first.status().withState(BackupState.ERROR).withError("away")));
    assertThatThrownBy(() -> backups.get("base", TARGET)).hasMessageContaining("away");

    BackupBackingImage again = backups.create("base", TARGET, Waiting.none());
    assertThat(again.status().state()).isEqualTo(BackupState.IN_PROGRESS);
  }

  @Test
  void backupOfAnotherClusterIsTakenOverIfItHasTheContent() throws Exception {
    found("own");
    BackupBackingImage taken = backups.create("base", TARGET, Waiting.none());

    assertThat(taken.spec().userCreated()).isTrue();
    assertThat(taken.status().state()).isEqualTo(BackupState.COMPLETED);
  }

  @Test
  void backupOfAnotherImageOfTheNameIsRefused() throws Exception {
    found("other");

    assertThatThrownBy(() -> backups.create("base", TARGET, Waiting.none()))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("holdfast image delete-backup base");
    assertThat(backups.get("base", TARGET).spec().userCreated()).isFalse();
  }

  @Test
  void deletionAlsoDeletesBackupsOfAnotherCluster() throws Exception {
    found("other");
    backups.delete("base", TARGET, Waiting.none());

    BackupBackingImage deleted = backups.get("base", TARGET);
    assertThat(deleted.isBeingDeleted()).isTrue();
    assertThat(deleted.metadata().hasFinalizer(Backup.FINALIZER)).isTrue();
    assertThatThrownBy(() -> backups.delete("absent", TARGET, Waiting.none()))
        .hasMessageContaining("has no image absent");
  }
}
