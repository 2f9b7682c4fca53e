package dev.holdfast.resource.restore;

/**
 * States of a volume that follows the backups of another one.
 *
 * <pre>
 * NONE ──► FOLLOWING ─┬──────────────────────────► ACTIVATED
 *                     ├──► COMPLETING ─┬─────────► ACTIVATED
 *                     └────────────────┴► REVERTING ► ACTIVATED
 * </pre>
 *
 * @since 1.1
 */
public enum StandbyState {
  /** It follows no backups, or nothing was observed yet. */
  NONE(""),
  /** Each later backup is applied to it. */
  FOLLOWING("following"),
  /** It is activated as soon as the backup that is applied in part is whole. */
  COMPLETING("completing"),
  /** It is activated as soon as the backup that is applied in part is undone. */
  REVERTING("reverting"),
  /** It is an ordinary volume with the content of one backup, and follows no more. */
  ACTIVATED("activated");

  private final String wireName;

  StandbyState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
