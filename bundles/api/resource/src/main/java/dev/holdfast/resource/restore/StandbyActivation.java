package dev.holdfast.resource.restore;

/**
 * Rules by which the activation of a standby volume treats a backup that is applied in part.
 *
 * @since 1.1
 */
public enum StandbyActivation {
  /** Completes it if the target answers within 30 s; reverts to the backup before it otherwise. */
  COMPLETE_OR_REVERT("complete-or-revert"),
  /** Completes it, however long the target is away. */
  COMPLETE("complete"),
  /** Reverts to the backup before it. */
  REVERT("revert");

  private final String wireName;

  StandbyActivation(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
