package dev.holdfast.engine.lvm.blobs;

/**
 * State of a volume group.
 *
 * @param name of the group
 * @param uuid which LVM keeps on the disks of the group
 * @param sizeBytes sum of its disks
 * @param freeBytes space that no logical volume has
 * @param extentBytes unit of allocation; sizes of blobs are multiples of it
 * @param lockType {@code none} for a group of one node, {@code sanlock} or {@code dlm} for a shared
 *     one
 * @param taken whether {@link BlobManager#take} was called for the group
 */
public record GroupInfo(
    String name,
    String uuid,
    long sizeBytes,
    long freeBytes,
    long extentBytes,
    String lockType,
    boolean taken) {
  /** Returns whether several nodes use the group, with lock daemons. */
  public boolean shared() {
    return !lockType.equals("none");
  }
}
