package dev.holdfast.engine;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A snapshot that a volume has.
 *
 * @param name unique in the volume, not null
 * @param parent the snapshot below it, empty for the oldest, not null
 * @param children the snapshots made on top of it; {@link #HEAD} stands for the live content; not
 *     null
 * @param removed whether it was deleted and only waits for its data to be coalesced
 * @param userCreated whether a person or a workload asked for it
 * @param created its time, not null
 * @param labels what was remembered with it, not null
 * @param usedBytes what its own layer takes on each disk
 * @param checksum of its own layer, empty until one was computed, not null
 * @param shared whether it is removed and its data stays as it is, because another volume shares
 *     it: the engine has no work to do for it until then; since 2.2
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
  /** The name that stands for a volume's live content among a snapshot's children. */
  public static final String HEAD = "volume-head";

  /**
   * The name that stands for what a volume stands on when contents are compared: its base, or
   * zeroes for a volume without one. Not a snapshot, and not the parent of one.
   *
   * @since 2.2
   */
  public static final String BASE = "volume-base";

  /** Copies the collections and checks that nothing is missing. */
  public SnapshotInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(parent, "parent");
    children = List.copyOf(children);
    Objects.requireNonNull(created, "created");
    labels = Map.copyOf(labels);
    Objects.requireNonNull(checksum, "checksum");
  }

  /** A snapshot whose data no other volume shares. */
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
