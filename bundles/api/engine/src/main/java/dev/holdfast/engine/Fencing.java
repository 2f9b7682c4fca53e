package dev.holdfast.engine;

/**
 * Ways to keep an engine of an earlier generation from writing. The platform declares an engine
 * closed whose node is silent only because of it.
 *
 * @since 2.1
 */
public enum Fencing {
  /** Each replica refuses an old generation. A silent node needs no proof of its death. */
  REPLICAS,
  /**
   * A lock on the disk, for example a reservation. {@link EngineProvider#open} returns only when
   * this node holds the lock. Until then it waits, or fails with BUSY and a message that names the
   * holder and, where it is known, the time at which the lock becomes free. After it returned,
   * nothing that the earlier holder does changes a byte of the volume.
   */
  DISK_LOCK
}
