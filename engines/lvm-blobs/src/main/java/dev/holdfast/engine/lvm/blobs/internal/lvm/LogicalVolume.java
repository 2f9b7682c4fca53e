package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.Set;

/**
 * A logical volume as lvs(8) reports it.
 *
 * @param name in its group
 * @param uuid of the volume
 * @param sizeBytes its size; of a thin pool the size of its data
 * @param layout {@code linear}, {@code thin,sparse}, {@code thin,pool} or another
 * @param pool name of the thin pool that it is in, empty for none
 * @param tags of the volume
 * @param active whether it has a device on this host
 * @param number major and minor number of its device, empty when it is not active
 * @param usedBytes allocated part of a thin volume or pool, 0 when it is not known
 * @param metadataBytes size of a pool's metadata, 0 for other volumes
 * @param metadataUsedBytes used part of it, 0 when it is not known
 * @param thinId number of a thin volume in its pool, 0 for other volumes
 * @param health what the kernel complains of, such as {@code out_of_data}; empty for nothing
 */
public record LogicalVolume(
    String name,
    String uuid,
    long sizeBytes,
    String layout,
    String pool,
    Set<String> tags,
    boolean active,
    String number,
    long usedBytes,
    long metadataBytes,
    long metadataUsedBytes,
    long thinId,
    String health) {
  /** Copies the tags. */
  public LogicalVolume {
    tags = Set.copyOf(tags);
  }

  /** Returns whether it is a thin pool. */
  public boolean isPool() {
    return layout.contains("pool");
  }

  /** Returns whether it is in a thin pool. */
  public boolean isThin() {
    return !pool.isEmpty();
  }
}
