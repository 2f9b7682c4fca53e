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
    PoolHealth health) {
  /** Copies the blobs. */
  public PoolSpace {
    blobs = Set.copyOf(blobs);
  }
}
