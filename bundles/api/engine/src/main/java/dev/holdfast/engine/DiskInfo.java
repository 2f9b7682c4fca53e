package dev.holdfast.engine;

/**
 * Findings of an engine about a disk that it uses.
 *
 * @param identity identity that is stored on the disk, equal on all nodes that see the disk and
 *     unique among disks; not empty
 * @param sizeBytes size of the disk, at least 0
 * @param freeBytes free space of the disk, at least 0
 * @param promisableBytes limit of the sum of the volume sizes of all replicas on the disk, present
 *     ones included; an engine that allocates on write may report more than {@code sizeBytes}
 * @param shared whether several nodes may see the disk, so that its replicas do not belong to a
 *     single node
 * @param durable whether flushed data survives a power cut on this disk
 * @since 2.1
 */
public record DiskInfo(
    String identity,
    long sizeBytes,
    long freeBytes,
    long promisableBytes,
    boolean shared,
    boolean durable) {
  /** Rejects an empty identity and negative sizes. */
  public DiskInfo {
    if (identity.isEmpty()) {
      throw new IllegalArgumentException("identity: must not be empty");
    }
    requireSize("sizeBytes", sizeBytes);
    requireSize("freeBytes", freeBytes);
    requireSize("promisableBytes", promisableBytes);
  }

  private static void requireSize(String field, long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(field + ": must be at least 0: " + bytes);
    }
  }
}
