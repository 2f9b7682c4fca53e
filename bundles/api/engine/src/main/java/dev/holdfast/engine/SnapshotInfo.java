package dev.holdfast.engine;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A snapshot of a volume.
 *
 * @param name unique in the volume, not null
 * @param parent the snapshot below it, empty for the oldest, not null
 * @param children the snapshots directly above it; {@link #HEAD} denotes the live content; not null
 * @param removed whether it was deleted and its data waits to be coalesced
 * @param userCreated whether a user or a workload requested it
 * @param created time of its creation, not null
 * @param labels labels stored with it, not null
 * @param usedBytes space of its own layer on each disk
 * @param checksum of its own layer, empty until it was computed, not null
 * @param shared whether it is removed and its data cannot be coalesced yet, because another volume
 *     shares the data; since 2.2
 */
public record SnapshotInfo(
    String name,
    String parent,
    List<String> children,
    boolean removed,
    boolean userCreated,
    Instant created,
    Map<String, String> labels,
    long usedBytes,
    String checksum,
    boolean shared) {
  /** Denotes a volume's live content among the children of a snapshot. */
  public static final String HEAD = "volume-head";

  /**
   * Denotes, in comparisons of content, the base of a volume, or zeroes for a volume without a
   * base. Not a snapshot, and not the parent of a snapshot.
   *
   * @since 2.2
   */
  public static final String BASE = "volume-base";

  /** Copies the collections and rejects null components. */
  public SnapshotInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(parent, "parent");
    children = List.copyOf(children);
    Objects.requireNonNull(created, "created");
    labels = Map.copyOf(labels);
    Objects.requireNonNull(checksum, "checksum");
  }

  /** Creates a snapshot that shares no data with other volumes. */
  public SnapshotInfo(
      String name,
      String parent,
      List<String> children,
      boolean removed,
      boolean userCreated,
      Instant created,
      Map<String, String> labels,
      long usedBytes,
      String checksum) {
    this(name, parent, children, removed, userCreated, created, labels, usedBytes, checksum, false);
  }
}
