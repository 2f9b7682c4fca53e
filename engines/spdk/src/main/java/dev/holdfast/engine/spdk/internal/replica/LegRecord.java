package dev.holdfast.engine.spdk.internal.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Record of a replica, kept beside its data. Volumes of the store that begin with the prefix of the
 * replica and are not named here are left over from an interrupted call.
 *
 * @param owner what it belongs to, not null
 * @param sizeBytes of the volume
 * @param phase of its life, not null
 * @param head name of the live content in the store, not null
 * @param headParent name in the store of the snapshot below the head, empty for none, not null
 * @param opening the last one, not null
 * @param snapshots parents before children, not null
 */
public record LegRecord(
    Owner owner,
    long sizeBytes,
    Phase phase,
    String head,
    String headParent,
    Opening opening,
    List<SnapshotRecord> snapshots) {
  /** Phases of a replica's life. */
  public enum Phase {
    CREATING,
    READY,
    /** Its head stands on a snapshot of another replica; it is not current. */
    REBUILDING,
    DELETING
  }

  /**
   * Owner of a replica. Does not change.
   *
   * @param volume name of the volume, not null
   * @param replica name of the replica, not null
   * @param identity names it in the register, never used again, not null
   * @param content what it held at first, empty for nothing, not null
   */
  public record Owner(String volume, String replica, String identity, String content) {}

  /**
   * The last opening that was admitted.
   *
   * @param generation its generation, 0 before the first
   * @param session number of the engine within the generation
   * @param clean whether it ended in order
   */
  public record Opening(long generation, long session, boolean clean) {
    /** Before the first opening. */
    public static final Opening NONE = new Opening(0, 0, true);
  }

  /** Copies the list. */
  public LegRecord {
    snapshots = List.copyOf(snapshots);
  }

  /** Returns the same in another phase. */
  public LegRecord in(Phase next) {
    return new LegRecord(owner, sizeBytes, next, head, headParent, opening, snapshots);
  }

  /** Returns the same with another size. */
  public LegRecord sized(long size) {
    return new LegRecord(owner, size, phase, head, headParent, opening, snapshots);
  }

  /** Returns the same after another opening. */
  public LegRecord opened(Opening next) {
    return new LegRecord(owner, sizeBytes, phase, head, headParent, next, snapshots);
  }

  /** Returns the same with another live content. */
  public LegRecord headed(String name, String parent) {
    return new LegRecord(owner, sizeBytes, phase, name, parent, opening, snapshots);
  }

  /** Returns the same with other snapshots below the present head. */
  public LegRecord holding(List<SnapshotRecord> all) {
    return with(all, headParent);
  }

  private LegRecord with(List<SnapshotRecord> changed, String parent) {
    return new LegRecord(owner, sizeBytes, phase, head, parent, opening, changed);
  }

  /** Returns the same with a snapshot directly below the head. */
  public LegRecord with(SnapshotRecord made) {
    List<SnapshotRecord> changed = new ArrayList<>(snapshots);
    changed.add(made);
    return with(changed, made.lvol());
  }

  /** Returns the same with a snapshot that is deleted. */
  public LegRecord withRemoved(SnapshotRecord one) {
    List<SnapshotRecord> changed = new ArrayList<>(snapshots);
    changed.replaceAll(each -> each.lvol().equals(one.lvol()) ? each.asRemoved() : each);
    return with(changed, headParent);
  }

  /** Returns the same without a snapshot; what stood on it stands on its parent. */
  public LegRecord without(SnapshotRecord one) {
    List<SnapshotRecord> changed = new ArrayList<>();
    for (SnapshotRecord each : snapshots) {
      if (!each.lvol().equals(one.lvol())) {
        changed.add(each.parent().equals(one.lvol()) ? each.above(one.parent()) : each);
      }
    }
    return with(changed, headParent.equals(one.lvol()) ? one.parent() : headParent);
  }

  /** Returns a snapshot that is not deleted, by its name in the volume. */
  public Optional<SnapshotRecord> snapshot(String name) {
    return snapshots.stream().filter(one -> !one.removed() && one.name().equals(name)).findFirst();
  }

  /** Returns a snapshot by its name in the store. */
  public Optional<SnapshotRecord> stored(String lvol) {
    return snapshots.stream().filter(one -> one.lvol().equals(lvol)).findFirst();
  }

  /** Returns whether a volume of the store is named here. */
  public boolean names(String lvol) {
    return head.equals(lvol) || stored(lvol).isPresent();
  }

  /**
   * Returns the content in words that are the same for all replicas of a volume whose operations
   * were completed. Deleted snapshots do not count: each replica removes them by itself.
   */
  public String shape() {
    StringBuilder text =
        new StringBuilder().append(sizeBytes).append(' ').append(visible(headParent));
    for (SnapshotRecord one : snapshots) {
      if (!one.removed()) {
        text.append(' ').append(one.name()).append('<').append(visible(one.parent()));
      }
    }
    return text.toString();
  }

  private String visible(String lvol) {
    Optional<SnapshotRecord> at = stored(lvol);
    while (at.isPresent() && at.get().removed()) {
      at = stored(at.get().parent());
    }
    return at.map(SnapshotRecord::name).orElse("");
  }
}
