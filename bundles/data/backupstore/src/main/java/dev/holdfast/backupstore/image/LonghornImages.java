package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The backups of images at a target in Longhorn's layout. Holds no state beside the store;
 * thread-safe. A listing that fails is an exception, never a shorter list.
 */
public final class LonghornImages {
  private final ObjectStore store;

  /**
   * Creates a view.
   *
   * @param store the target, which the caller closes, not null
   */
  public LonghornImages(ObjectStore store) {
    this.store = Objects.requireNonNull(store, "store");
  }

  /**
   * Returns the names of the images with a backup, complete or not, in the order of their keys.
   *
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN, IO when they cannot be listed
   */
  public List<String> names() throws StorageException {
    List<String> names = new ArrayList<>();
    store.list(
        ImageKeys.FOLDER,
        "",
        object -> {
          String rest = object.key().substring(ImageKeys.FOLDER.length());
          if (rest.endsWith(ImageKeys.CONFIG)) {
            String name = rest.substring(0, rest.length() - ImageKeys.CONFIG.length());
            if (BackupName.isValid(name)) {
              names.add(name);
            }
          }
        });
    return names;
  }

  /**
   * Returns whether the target has the configuration of an image's backup, complete or not.
   *
   * @param image its name, not null
   * @throws StorageException INVALID for an impossible name; what the target throws
   */
  public boolean has(String image) throws StorageException {
    return store.stat(ImageKeys.config(BackupName.check("image", image))).isPresent();
  }

  /**
   * Returns the description of the backup of an image, complete or not, without its blocks; empty
   * where the target has none.
   *
   * @param image its name, not null
   * @throws StorageException as {@link #find}
   */
  public Optional<StoredImage.Summary> summary(String image) throws StorageException {
    Optional<StoredObject> config = store.stat(ImageKeys.config(BackupName.check("image", image)));
    return config.isPresent()
        ? Optional.of(ImageConfig.summary(store, image, config.get()))
        : Optional.empty();
  }

  /**
   * Returns the backup of an image, complete or not; empty where the target has none.
   *
   * @param image its name, not null
   * @throws StorageException INVALID for an impossible name; IO for a damaged configuration;
   *     UNSUPPORTED for a compression that this version does not know; what the target throws
   */
  public Optional<StoredImage> find(String image) throws StorageException {
    Optional<StoredObject> config = store.stat(ImageKeys.config(BackupName.check("image", image)));
    return config.isPresent()
        ? Optional.of(ImageConfig.read(store, image, config.get()))
        : Optional.empty();
  }

  /**
   * Returns the complete backup of an image.
   *
   * @param image its name, not null
   * @throws StorageException NOT_FOUND; BUSY while it is in progress; as {@link #find}
   */
  public StoredImage image(String image) throws StorageException {
    StoredImage found =
        find(image)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "image " + image + ": has no backup at the target"));
    if (found.summary().inProgress()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "backup of image " + image + ": is in progress, or its writer died: back it up again");
    }
    return found;
  }
}
