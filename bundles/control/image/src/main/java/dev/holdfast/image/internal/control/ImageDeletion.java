package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;

/** Deletes an image once no volume uses it: first the transfer, then the files, then the image. */
final class ImageDeletion {
  private final BackingImage image;
  private final ReconcileContext context;

  ImageDeletion(BackingImage image, ReconcileContext context) {
    this.image = image;
    this.context = context;
  }

  /** Makes one step; returns whether the image is gone. */
  boolean advance() throws StorageException {
    if (!image.metadata().hasFinalizer(BackingImage.FINALIZER)) {
      return true;
    }
    Optional<String> use = use();
    if (use.isPresent()) {
      waits("InUse", use.get());
      return false;
    }
    List<BackingImageManager> managers =
        context.store().list(BackingImageManager.KIND, LabelSelector.ALL).items();
    for (BackingImageManager manager : managers) {
      ImageWrites.giveUp(manager, image.name(), context);
    }
    // The source of a manager's reads is removed after the manager stopped.
    Optional<String> left = managers.stream().flatMap(m -> left(m).stream()).findFirst();
    if (left.isPresent()) {
      waits("FilesLeft", left.get());
      return false;
    }
    if (context.store().get(BackingImageDataSource.KIND, image.name()).isPresent()) {
      delete(BackingImageDataSource.KIND, image.name(), "");
      return false;
    }
    for (BackingImageManager manager : managers) {
      if (manager.spec().backingImages().isEmpty()
          && manager.status().backingImageFileMap().isEmpty()) {
        delete(BackingImageManager.KIND, manager.name(), manager.metadata().uid());
      }
    }
    context
        .store()
        .update(image.withMetadata(image.metadata().minusFinalizer(BackingImage.FINALIZER)));
    return true;
  }

  /**
   * Returns a user of the image; empty for none. The deleted volumes are read before and after the
   * volumes, because a volume may be deleted, or its deletion taken back, between two reads.
   */
  private Optional<String> use() throws StorageException {
    Optional<String> deletedUsers = deletedUsers();
    Optional<String> users = users();
    if (users.isPresent()) {
      return users;
    }
    return deletedUsers.isPresent() ? deletedUsers : deletedUsers();
  }

  private Optional<String> users() throws StorageException {
    List<String> users =
        context.store().list(Volume.KIND, LabelSelector.ALL).items().stream()
            .filter(volume -> volume.spec().backingImage().equals(image.name()))
            .map(Volume::name)
            .toList();
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of("volumes use the image: " + String.join(", ", users));
  }

  private Optional<String> deletedUsers() throws StorageException {
    List<String> users =
        context.store().list(DeletedVolume.KIND, LabelSelector.ALL).items().stream()
            .filter(deleted -> deleted.spec().volumeSpec().backingImage().equals(image.name()))
            .map(DeletedVolume::name)
            .toList();
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "deleted volumes that are kept use the image: "
                + String.join(", ", users)
                + ": 'holdfast volume purge' removes them");
  }

  private Optional<String> left(BackingImageManager manager) {
    ImageFile file = manager.status().backingImageFileMap().get(image.name());
    boolean ours =
        manager.spec().backingImages().containsKey(image.name())
            || (file != null && file.uuid().equals(image.status().uuid()));
    return ours
        ? Optional.of(
            "disk "
                + manager.spec().diskUUID()
                + " still has its file"
                + (file == null || file.message().isEmpty() ? "" : ": " + file.message()))
        : Optional.empty();
  }

  private <R extends Resource<R>> void delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    try {
      context.store().delete(kind, name, uid);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  private void waits(String reason, String message) throws StorageException {
    BackingImageStatus status =
        image
            .status()
            .withConditions(
                Condition.with(
                    image.status().conditions(),
                    Condition.DELETING,
                    Condition.Status.FALSE,
                    reason,
                    message,
                    context.clock().instant()));
    if (!status.equals(image.status())) {
      context.store().updateStatus(image.withStatus(status));
    }
  }
}
