package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume whose snapshots can be compared with their checksums. */
@ConsumerType
public interface ScrubbableVolume extends OpenVolume {

  /**
   * Starts to read a snapshot's own layer on every replica and returns. The scrub runs in the
   * background, and requests of clients have priority. Each part is compared with its stored
   * checksum and with the other replicas. A replica that differs is repaired from a replica with
   * correct content. The checksum determines the correct content; without a checksum the majority
   * of the replicas does. If neither is decisive, the part is reported as damaged and left
   * unchanged. The checksums of an undamaged snapshot are stored for the next scrub.
   *
   * @param snapshot name of the snapshot, not null
   * @param options limit of the rate, not null
   * @return the running scrub, never null; an already running scrub of the same snapshot is
   *     returned
   * @throws StorageException NOT_FOUND; BUSY while a scrub of another snapshot of the volume runs;
   *     IO
   */
  Scrub scrub(String snapshot, ScrubOptions options) throws StorageException;
}
