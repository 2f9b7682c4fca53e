package dev.holdfast.engine.spdk.internal.calls;

import java.util.List;

/**
 * A logical volume as the target describes it.
 *
 * @param uuid by which other lists name it, not null
 * @param sizeBytes its size, a multiple of the cluster size
 * @param usedBytes allocated by itself, without what it reads from snapshots
 * @param snapshot whether it is a snapshot
 * @param clones names of the volumes that stand on it directly, not null
 */
public record LvolInfo(
    String uuid, long sizeBytes, long usedBytes, boolean snapshot, List<String> clones) {
  /** Copies the list. */
  public LvolInfo {
    clones = List.copyOf(clones);
  }
}
