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
  /** The volume does not follow backups, or its state is still unknown. */
  NONE(""),
  /** Later backups are applied to the volume. */
  FOLLOWING("following"),
  /** The activation waits until the partly applied backup is complete. */
  COMPLETING("completing"),
  /** The activation waits until the partly applied backup is reverted. */
  REVERTING("reverting"),
  /**
   * The volume is an ordinary volume with the content of one backup and no longer follows others.
   */
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
