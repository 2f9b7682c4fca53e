package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.backup.BackupAddresses;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.util.Map;
import java.util.Optional;

/**
 * The image below a restored volume: the cluster's image with the recorded content, or else an
 * image that is restored from its backup at the same target.
 */
final class RestoredImage {
  private final Volume volume;
  private final RecordedImage recorded;
  private final Optional<StoredImage.Summary> stored;
  private final ResourceStore store;

  /**
   * @param volume that is restored, as stored
   * @param recorded image that the backup of the volume names
   * @param stored description of the backup of an image of that name at the target
   */
  RestoredImage(
      Volume volume,
      RecordedImage recorded,
      Optional<StoredImage.Summary> stored,
      ResourceStore store) {
    this.volume = volume;
    this.recorded = recorded;
    this.stored = stored;
    this.store = store;
  }

  /**
   * Makes one step towards a volume on the image, or with the content of the image. Returns the
   * condition for which the volume waits, empty once it can be restored.
   *
   * @throws StorageException INVALID if neither the cluster nor the target has the image
   */
  Optional<String> advance() throws StorageException {
    String wanted = volume.spec().backingImage();
    String name = wanted.isEmpty() ? recorded.name() : wanted;
    Optional<BackingImage> image = store.get(BackingImage.KIND, name);
    if (image.isEmpty()) {
      create(name);
      return Optional.of("waits until image " + name + " is restored");
    }
    if (image.get().hasFailed()) {
      throw new StorageException(
          ErrorCode.INVALID,
          subject() + "image " + name + " failed: " + reason(image.get()) + ": delete it");
    }
    if (!image.get().isReady() || image.get().isBeingDeleted()) {
      return Optional.of("waits for image " + name + ": " + reason(image.get()));
    }
    requireContent(image.get());
    if (wanted.isEmpty() && !volume.spec().restoreFlattened()) {
      store.update(volume.withSpec(volume.spec().withBackingImage(name)));
      return Optional.of("its replicas are made on image " + name);
    }
    return Optional.empty();
  }

  private static String reason(BackingImage image) {
    return Condition.find(image.status().conditions(), Condition.READY)
        .map(Condition::message)
        .orElse("it is not ready");
  }

  /**
   * Returns the image whose content a flattened volume gets.
   *
   * @throws StorageException UNREACHABLE while it has no verified copy; INVALID if its content
   *     differs
   */
  BackingImage require() throws StorageException {
    Optional<BackingImage> image = store.get(BackingImage.KIND, recorded.name());
    if (image.filter(BackingImage::isReady).isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          subject() + "the cluster has no verified copy of it: wait for it or create it again");
    }
    requireContent(image.get());
    return image.get();
  }

  private void requireContent(BackingImage image) throws StorageException {
    String content = image.status().contentChecksum();
    if (!recorded.isContentOf(image.status().checksum(), content)) {
      throw new StorageException(
          ErrorCode.INVALID,
          subject()
              + "image "
              + image.name()
              + " has other content: it was made of a file with the SHA-512 "
              + image.status().checksum()
              + ": restore the volume in a cluster without an image of this name, or set"
              + " spec.backingImage to one with the right content");
    }
  }

  private String subject() {
    return "volume "
        + volume.name()
        + ": its backup is based on image "
        + recorded.name()
        + " with the SHA-512 "
        + recorded.checksum()
        + ": ";
  }

  /** Restores the image from its backup, if the backup has the recorded content. */
  private void create(String name) throws StorageException {
    boolean right =
        stored
            .filter(found -> !found.inProgress() && found.name().equals(name))
            .filter(found -> recorded.isContentOf(found.checksum(), found.contentChecksum()))
            .isPresent();
    if (!right) {
      throw new StorageException(
          ErrorCode.INVALID,
          subject()
              + "neither the cluster nor the target has it: create it by 'holdfast image create "
              + name
              + "', or back it up where it is by 'holdfast image backup "
              + name
              + "'");
    }
    String target = BackupAddresses.targetOf(volume.spec().fromBackup());
    BackingImageSpec spec =
        BackingImageSpec.EMPTY
            .withSourceType(BackupBackingImage.SOURCE_TYPE)
            .withSourceParameters(
                Map.of(BackupBackingImage.URL_PARAMETER, BackupAddresses.ofImage(target, name)))
            .withChecksum(stored.get().checksum())
            .withDataEngine(volume.spec().dataEngine());
    try {
      store.create(BackingImage.of(name, spec));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }
}
