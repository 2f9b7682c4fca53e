package dev.holdfast.engine.lvm.blobs.internal.locks;

import dev.holdfast.error.StorageException;

/**
 * Lease of a logical volume on the disk, as {@code sanlock direct read_leader} prints it. The owner
 * stays in the lease after a release, which sets the time to 0.
 *
 * @param hostId of the owner
 * @param hostGeneration of the owner when it took the lease; a host that joins again has a higher
 *     one, and its old leases do not count
 * @param takenAt second of the owner's monotonic clock; 0 when the lease is free
 */
public record DiskLease(int hostId, long hostGeneration, long takenAt) {
  /** Reads the output of {@code sanlock direct read_leader -r}. */
  public static DiskLease parse(String text) throws StorageException {
    return new DiskLease(
        SanlockText.integer(text, "owner_id"),
        SanlockText.number(text, "owner_generation"),
        SanlockText.number(text, "timestamp"));
  }

  /** Returns whether no host holds the lease. */
  public boolean isFree() {
    return hostId == 0 || takenAt == 0;
  }
}
