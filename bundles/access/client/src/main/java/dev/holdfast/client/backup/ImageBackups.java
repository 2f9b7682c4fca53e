package dev.holdfast.client.backup;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Manages backups of images at targets. Thread-safe. */
public final class ImageBackups {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the backups of a store. */
  public ImageBackups(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Backs up an image; with waiting, until the target has it. Succeeds if the target already has
   * the same image. Retries a failed backup.
   *
   * @throws StorageException NOT_FOUND for the image or the target; CONFLICT when the target has
   *     another image of this name; IO when it fails permanently; TIMEOUT (the backup continues)
   */
  public BackupBackingImage create(String image, String target, Waiting waiting)
      throws StorageException {
    BackingImage source = editor.require(BackingImage.KIND, image);
    var unused = editor.require(BackupTarget.KIND, target);
    BackupBackingImage wanted = BackupBackingImage.of(target, image);
    // A scan of the target also creates the resource if the target already has the backup.
    BackupBackingImage asked =
        editor.createOrEdit(
            wanted,
            found -> {
              requireSame(source, found);
              return found.withSpec(found.spec().withUserCreated(true));
            });
    if (asked.status().state() == BackupState.ERROR) {
      asked =
          store.updateStatus(asked.withStatus(asked.status().withState(BackupState.IN_PROGRESS)));
    }
    return waiting.isWanted() ? await(asked.name(), image, waiting) : asked;
  }

  private static void requireSame(BackingImage image, BackupBackingImage backup)
      throws StorageException {
    String other = backup.status().contentChecksum();
    boolean differs =
        backup.status().state() == BackupState.COMPLETED
            && !other.isEmpty()
            && !other.equals(image.status().contentChecksum());
    if (differs) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "backup target "
              + backup.spec().backupTargetName()
              + ": has another image "
              + image.name()
              + ", with the SHA-512 "
              + backup.status().checksum()
              + ": delete that backup by 'holdfast image delete-backup "
              + image.name()
              + "', or use another target");
    }
  }

  private BackupBackingImage await(String name, String image, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var backup = observation.follow(BackupBackingImage.KIND, name);
      return observation.await(
          "backup of image " + image,
          waiting,
          () -> complete(image, backup.latest()),
          () -> backup.latest().map(ImageBackups::why).orElse("it was deleted"));
    }
  }

  private static Optional<BackupBackingImage> complete(
      String image, Optional<BackupBackingImage> backup) throws StorageException {
    if (backup.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "backup of image " + image + " was deleted");
    }
    if (backup.get().isFinal() && backup.get().status().state() == BackupState.ERROR) {
      throw new StorageException(
          ErrorCode.IO, "backup of image " + image + " failed: " + backup.get().status().error());
    }
    return backup.filter(found -> found.status().state() == BackupState.COMPLETED);
  }

  private static String why(BackupBackingImage backup) {
    return backup.status().error().isEmpty()
        ? "it is at " + backup.status().progress() + " %"
        : backup.status().error();
  }

  /** Returns the backups of images at one target, or at all targets. */
  public ResourceList<BackupBackingImage> list(Optional<String> target) throws StorageException {
    ResourceList<BackupBackingImage> all = store.list(BackupBackingImage.KIND, LabelSelector.ALL);
    return new ResourceList<>(
        all.items().stream()
            .filter(
                backup -> target.filter(t -> !t.equals(backup.spec().backupTargetName())).isEmpty())
            .toList(),
        all.resourceVersion());
  }

  /**
   * Returns the complete backup of an image.
   *
   * @throws StorageException NOT_FOUND; CONFLICT while it is incomplete
   */
  public BackupBackingImage get(String image, String target) throws StorageException {
    BackupBackingImage found =
        store
            .get(BackupBackingImage.KIND, BackupBackingImage.nameFor(target, image))
            .orElseThrow(() -> absent(image, target));
    if (found.status().state() != BackupState.COMPLETED) {
      throw new StorageException(
          ErrorCode.CONFLICT, "backup of image " + image + " is not complete: " + why(found));
    }
    return found;
  }

  private static StorageException absent(String image, String target) {
    return new StorageException(
        ErrorCode.NOT_FOUND,
        "backup target "
            + target
            + ": has no image "
            + image
            + " as of its last scan: see 'holdfast image backups'");
  }

  /**
   * Deletes the backup of an image, also one that another cluster made; with waiting, until it is
   * deleted at its target.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT (the deletion continues)
   */
  public void delete(String image, String target, Waiting waiting) throws StorageException {
    String name = BackupBackingImage.nameFor(target, image);
    if (store.get(BackupBackingImage.KIND, name).isEmpty()) {
      throw absent(image, target);
    }
    BackupBackingImage marked =
        editor.edit(
            BackupBackingImage.KIND,
            name,
            found ->
                found.isBeingDeleted()
                    ? found
                    : found.withMetadata(found.metadata().plusFinalizer(Backup.FINALIZER)));
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(BackupBackingImage.KIND, name);
      store.delete(BackupBackingImage.KIND, name, marked.metadata().uid());
      if (waiting.isWanted()) {
        observation.await(
            "backup of image " + image,
            waiting,
            () -> Optional.of(true).filter(yes -> followed.latest().isEmpty()),
            () -> "its deletion at the target");
      }
    }
  }
}
