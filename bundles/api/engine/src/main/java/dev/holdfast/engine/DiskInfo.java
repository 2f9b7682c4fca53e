package dev.holdfast.engine;

/**
 * Findings of an engine about a disk that it uses.
 *
 * @param identity kept on the disk itself, the same on every node that sees the disk, different
 *     from that of every other disk; not empty
 * @param sizeBytes size of the disk, at least 0
 * @param freeBytes free space of the disk, at least 0
 * @param promisableBytes sum of the volume sizes of all replicas that the disk may hold, those that
 *     it holds included; an engine that allocates on write may report more than {@code sizeBytes}
 * @param shared whether several nodes may see the disk, so that its replicas belong to no node
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
  /** Checks that the identity is there and no size is negative. */
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
