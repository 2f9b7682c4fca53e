package dev.holdfast.image.internal.source;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.exchange.ImageContents;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** The disks that one delivery can read: the volume prepared for it, and images. */
public final class DeliveryDisks implements ClusterDisks {
  private final ResourceStore store;
  private final ImageContents images;
  private final AttachedVolumes volumes;
  private final Optional<PreparedVolume> prepared;

  /**
   * A volume that is attached to this node, and its snapshot.
   *
   * @param volume its name
   * @param engine that serves it
   * @param snapshot its name in the volume
   */
  public record PreparedVolume(String volume, String engine, String snapshot) {}

  /** Creates an object that reads through services of this node. */
  public DeliveryDisks(
      ResourceStore store,
      ImageContents images,
      AttachedVolumes volumes,
      Optional<PreparedVolume> prepared) {
    this.store = store;
    this.images = images;
    this.volumes = volumes;
    this.prepared = prepared;
  }

  @Override
  public SourceDisk volume(String volume, String snapshot) throws StorageException {
    PreparedVolume ready =
        prepared
            .filter(found -> found.volume().equals(volume))
            .filter(found -> snapshot.isEmpty() || found.snapshot().equals(snapshot))
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.INVALID,
                        "volume "
                            + volume
                            + " is not the one of the parameters "
                            + VOLUME_PARAMETER
                            + " and "
                            + SNAPSHOT_PARAMETER));
    AttachedVolume attached =
        volumes
            .get(ready.engine())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNREACHABLE, "volume " + volume + " is not open on this node"));
    return SnapshotDisk.open(volume, attached, ready.snapshot());
  }

  @Override
  public SourceDisk image(String image) throws StorageException {
    BackingImage found =
        store
            .get(BackingImage.KIND, image)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "image " + image + " does not exist"));
    return new ImageDiskContent(found.status().virtualSize().bytes(), images.of(found));
  }
}
