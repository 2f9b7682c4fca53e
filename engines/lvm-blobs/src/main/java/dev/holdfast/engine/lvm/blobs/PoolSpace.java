package dev.holdfast.engine.lvm.blobs;

import java.util.Set;

/**
 * Use of an active thin pool, as LVM last reported it.
 *
 * @param group name of the volume group
 * @param pool name of the pool's logical volume
 * @param blobs in the pool
 * @param sizeBytes space that the pool has for data
 * @param usedBytes part of it that is used
 * @param shortage whether the pool should grow and the group has no room; writers wait when the
 *     pool is full, until the group is extended
 * @param health whether it serves all writes
 */
public record PoolSpace(
    String group,
    String pool,
    Set<Blob> blobs,
    long sizeBytes,
    long usedBytes,
    boolean shortage,
    Health health) {
  /** Whether an active thin pool serves writes to blocks that it has not allocated yet. */
  public enum Health {
    /** It does. */
    GOOD,
    /** It has no block left: such writes wait until it is extended. */
    FULL,
    /** It refuses all writes to such blocks, and needs a repair. */
    DAMAGED
  }

  /** Copies the blobs. */
  public PoolSpace {
    blobs = Set.copyOf(blobs);
  }
}
