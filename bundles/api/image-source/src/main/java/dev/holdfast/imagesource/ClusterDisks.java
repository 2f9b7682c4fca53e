package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** Volumes and images of this cluster that a source can copy. Thread-safe. */
@ProviderType
public interface ClusterDisks {
  /**
   * Opens a snapshot of a volume. The platform attaches the volume to this node before it begins
   * the transfer of a source that declares the parameter {@link #VOLUME_PARAMETER}.
   *
   * @param volume name of the volume, not null
   * @param snapshot name of the snapshot; empty for a snapshot that the platform takes for this
   *     image and removes afterwards; not null
   * @return the content of the snapshot, never null; the caller closes it
   * @throws StorageException NOT_FOUND; UNREACHABLE while the volume is not open on this node
   */
  SourceDisk volume(String volume, String snapshot) throws StorageException;

  /**
   * Opens a verified copy of another image, on this node or another one.
   *
   * @param image name of the image, not null
   * @return its content, never null; the caller closes it
   * @throws StorageException NOT_FOUND; BUSY while all copies are unreadable
   */
  SourceDisk image(String image) throws StorageException;

  /** Name of the parameter with the volume that a source reads. */
  String VOLUME_PARAMETER = "volume-name";

  /**
   * Name of the parameter with the snapshot of that volume; without one, a new snapshot is taken.
   */
  String SNAPSHOT_PARAMETER = "snapshot-name";
}
