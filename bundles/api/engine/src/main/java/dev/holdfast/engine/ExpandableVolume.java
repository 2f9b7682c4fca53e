package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that can grow while it is in use. */
@ConsumerType
public interface ExpandableVolume extends OpenVolume {

  /**
   * Grows all replicas and then the device. Either all current replicas have the new size when this
   * returns, or this fails and all have the old one. Succeeds without effect when the size is that
   * already. Blocks.
   *
   * @param newSizeBytes a multiple of 4096, at least the present size
   * @throws StorageException INVALID when it is smaller; NO_SPACE; BUSY while another structural
   *     operation excludes it; IO
   */
  void expand(long newSizeBytes) throws StorageException;
}
