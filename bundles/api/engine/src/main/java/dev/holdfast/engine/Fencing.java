package dev.holdfast.engine;

/**
 * Mechanisms that keep an engine of an earlier generation from writing. The platform relies on them
 * when it declares the engine of an unreachable node closed.
 *
 * @since 2.1
 */
public enum Fencing {
  /**
   * Each replica rejects old generations. The platform need not prove that an unreachable node has
   * stopped.
   */
  REPLICAS,
  /**
   * A lock on the disk, for example a reservation. {@link EngineProvider#open} returns only when
   * this node holds the lock. Until then it waits, or fails with BUSY and a message with the holder
   * and, if known, the time at which the lock becomes free. After it returns, the earlier holder
   * can no longer change the volume.
   */
  DISK_LOCK
}
