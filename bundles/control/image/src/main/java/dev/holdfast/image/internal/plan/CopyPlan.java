package dev.holdfast.image.internal.plan;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * Decision for one image.
 *
 * @param entries disks that must have the image, and whether a user evicts it from them
 * @param added disks of the entries that are new
 * @param dropped disks that had an entry
 * @param lastRefAt time since which a disk no longer needs its copy
 * @param cleanup clean-up requests that remain
 */
public record CopyPlan(
    Map<String, Boolean> entries,
    Set<String> added,
    Set<String> dropped,
    Map<String, Instant> lastRefAt,
    Set<String> cleanup) {
  /** Copies the collections. */
  public CopyPlan {
    entries = Map.copyOf(entries);
    added = Set.copyOf(added);
    dropped = Set.copyOf(dropped);
    lastRefAt = Map.copyOf(lastRefAt);
    cleanup = Set.copyOf(cleanup);
  }
}
