package dev.holdfast.resource.deletion;

/**
 * States of a deleted volume.
 *
 * <pre>
 * PENDING ──► KEPT ─┬─► RESTORING ──► (removed, the volume exists again)
 *                   └─► PURGING ────► (removed with the data)
 * </pre>
 *
 * @since 1.1
 */
public enum DeletedVolumeState {
  /** The volume still exists; its engine, replicas and snapshots are moved to this resource. */
  PENDING("pending"),
  /** The content is kept until its retention time ends. */
  KEPT("kept"),
  /** The volume is being restored. */
  RESTORING("restoring"),
  /** The content is being removed. */
  PURGING("purging");

  private final String wireName;

  DeletedVolumeState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
