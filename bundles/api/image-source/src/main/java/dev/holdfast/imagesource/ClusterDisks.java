package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** Disks of this cluster that a source can copy. Thread-safe. */
@ProviderType
public interface ClusterDisks {
  /**
   * Opens a snapshot of a volume. The platform attaches the volume to this node before it begins
   * the transfer of a source that declares the parameter {@link #VOLUME_PARAMETER}.
   *
   * @param volume its name, not null
   * @param snapshot its name in the volume; empty for a snapshot that the platform takes for this
   *     image and removes after it; not null
   * @return the content that the volume had then, never null; the caller closes it
   * @throws StorageException NOT_FOUND; UNREACHABLE while the volume is not open on this node
   */
  SourceDisk volume(String volume, String snapshot) throws StorageException;

  /**
   * Opens a verified copy of another image, on this node or another one.
   *
   * @param image its name, not null
   * @return its content, never null; the caller closes it
   * @throws StorageException NOT_FOUND; BUSY while no copy can be read
   */
  SourceDisk image(String image) throws StorageException;

  /** Name of the parameter with the volume that a source reads. */
  String VOLUME_PARAMETER = "volume-name";

  /**
   * Name of the parameter with the snapshot of that volume; without one, a new snapshot is taken.
   */
  String SNAPSHOT_PARAMETER = "snapshot-name";
}
