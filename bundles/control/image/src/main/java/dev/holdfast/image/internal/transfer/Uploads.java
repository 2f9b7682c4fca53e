package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageBody;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.store.ResourceStore;
import java.io.InputStream;
import java.util.Optional;

/** Receives files of images for disks of this node. Thread-safe. */
public final class Uploads {
  private final ResourceStore store;
  private final ImageTransfers transfers;

  /** Creates an object that receives files by the installed sources. */
  public Uploads(ResourceStore store, ImageTransfers transfers) {
    this.store = store;
    this.transfers = transfers;
  }

  /**
   * Returns the delivery of an image that waits for a file.
   *
   * @throws StorageException NOT_FOUND; CONFLICT if it accepts no upload, or has already received
   *     it
   */
  public BackingImageDataSource awaited(String image) throws StorageException {
    BackingImageDataSource source =
        store
            .get(BackingImageDataSource.KIND, image)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND,
                        "image " + image + " does not await an upload: create it first"));
    provider(source);
    return source;
  }

  /**
   * Receives a file, on the thread of the caller.
   *
   * @param source whose disk this node has
   * @param size bytes of the file
   * @throws StorageException the failure of the transfer
   */
  public void receive(BackingImageDataSource source, long size, InputStream body)
      throws StorageException {
    transfers.receive(source, provider(source), new ImageBody(size, body), ImageLimit.of(store));
  }

  private ImageSourceProvider provider(BackingImageDataSource source) throws StorageException {
    Optional<ImageSourceProvider> found =
        transfers.source(source.spec().sourceType()).filter(ImageSourceProvider::takesBody);
    boolean over =
        source.spec().fileTransferred()
            || source.status().currentState() == ImageState.READY_FOR_TRANSFER;
    if (found.isEmpty() || over) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "image "
              + source.name()
              + (over
                  ? " was uploaded already"
                  : " comes from source " + source.spec().sourceType() + ": it takes no upload"));
    }
    return found.get();
  }
}
