package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.Set;

/**
 * A volume group as vgs(8) reports it.
 *
 * @param name of the group
 * @param uuid of the group
 * @param sizeBytes sum of its disks
 * @param freeBytes space that no logical volume has
 * @param extentBytes unit of allocation
 * @param lockType {@code none} for a local group
 * @param missingDisks how many of its disks this host does not see
 * @param exported whether vgexport(8) has closed it
 * @param tags of the group
 */
public record GroupReport(
    String name,
    String uuid,
    long sizeBytes,
    long freeBytes,
    long extentBytes,
    String lockType,
    int missingDisks,
    boolean exported,
    Set<String> tags) {
  /** Copies the tags. */
  public GroupReport {
    tags = Set.copyOf(tags);
  }
}
