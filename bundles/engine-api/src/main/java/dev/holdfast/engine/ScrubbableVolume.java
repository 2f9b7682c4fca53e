package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume whose snapshots can be compared with their checksums. */
@ConsumerType
public interface ScrubbableVolume extends OpenVolume {

  /**
   * Reads a snapshot's own layer on every replica, compares it with its checksum, computes the
   * checksum where there is none yet, and repairs from a good replica what differs. Blocks, for as
   * long as reading takes; requests of clients come first. Idempotent.
   *
   * @param snapshot its name, not null
   * @return what was found, never null
   * @throws StorageException NOT_FOUND; BUSY; IO when it differs everywhere, so that nothing can be
   *     repaired
   */
  ScrubResult scrub(String snapshot) throws StorageException;
}
