package dev.holdfast.client;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Explains the state of volumes. Thread-safe. */
public final class Explanations {
  private final ResourceStore store;

  /** Explains the volumes of a store. */
  public Explanations(ResourceStore store) {
    this.store = store;
  }

  /**
   * Returns the node of a volume, the tickets that hold it and the waiting tickets.
   *
   * @throws StorageException NOT_FOUND
   */
  public Explanation why(String name) throws StorageException {
    Volume volume = new StoreEditor(store).require(Volume.KIND, name);
    Optional<ShareManager> share =
        ShareManager.isShared(volume)
            ? store.get(ShareManager.KIND, volume.name())
            : Optional.empty();
    return Explanation.of(volume, store.get(VolumeAttachment.KIND, volume.name()))
        .withFurther(ShareProblem.complaints(share));
  }
}
