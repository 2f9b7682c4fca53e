package dev.holdfast.engine.spdk.internal.replica;

import java.time.Instant;
import java.util.Map;

/**
 * A snapshot of a replica.
 *
 * @param lvol its name in the store, not null
 * @param name its name in the volume, not null
 * @param parent name in the store of the snapshot below it, empty for the oldest, not null
 * @param removed whether it was deleted and only waits until it can be removed
 * @param userCreated whether a person or a workload asked for it
 * @param created its time, not null
 * @param labels remembered with it, not null
 * @param sizeBytes of the volume at its time
 */
public record SnapshotRecord(
    String lvol,
    String name,
    String parent,
    boolean removed,
    boolean userCreated,
    Instant created,
    Map<String, String> labels,
    long sizeBytes) {
  /** Copies the labels. */
  public SnapshotRecord {
    labels = Map.copyOf(labels);
  }

  /** Returns the same as deleted. */
  public SnapshotRecord asRemoved() {
    return new SnapshotRecord(lvol, name, parent, true, userCreated, created, labels, sizeBytes);
  }

  /** Returns the same above another snapshot. */
  public SnapshotRecord above(String other) {
    return new SnapshotRecord(lvol, name, other, removed, userCreated, created, labels, sizeBytes);
  }
}
