package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume whose snapshots can be compared with their checksums. */
@ConsumerType
public interface ScrubbableVolume extends OpenVolume {

  /**
   * Begins to read a snapshot's own layer on every replica, and returns; the rest runs in the
   * background, requests of clients first. Each part is compared with the checksum that is kept of
   * it and with the other replicas. A replica that differs is repaired from one whose content is
   * known to be right: by the checksum, else, where none is kept yet, by what most replicas hold. A
   * part for which neither decides is reported as damaged and left unchanged. The checksums of a
   * snapshot without damage are kept for the next time.
   *
   * @param snapshot its name, not null
   * @param options how fast, not null
   * @return the running scrubbing, never null; the one that runs already if it is of this snapshot
   * @throws StorageException NOT_FOUND; BUSY while another snapshot of the volume is scrubbed; IO
   */
  Scrub scrub(String snapshot, ScrubOptions options) throws StorageException;
}
