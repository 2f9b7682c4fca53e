package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that can grow during use. */
@ConsumerType
public interface ExpandableVolume extends OpenVolume {

  /**
   * Grows all replicas and then the device. When this method returns, all current replicas have the
   * new size; when it fails, all have the old size. Succeeds without effect if the volume already
   * has the size. Blocks.
   *
   * @param newSizeBytes a multiple of 4096, at least the present size
   * @throws StorageException INVALID for a smaller size; NO_SPACE; BUSY while another structural
   *     operation excludes it; IO
   */
  void expand(long newSizeBytes) throws StorageException;
}
