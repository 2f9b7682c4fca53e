package dev.holdfast.resource.restore;

/**
 * Treatment of a partly applied backup at the activation of a standby volume.
 *
 * @since 1.1
 */
public enum StandbyActivation {
  /**
   * Completes the backup if the target answers within 30 s; otherwise reverts to the previous
   * backup.
   */
  COMPLETE_OR_REVERT("complete-or-revert"),
  /** Completes the backup, and waits for the target without a limit. */
  COMPLETE("complete"),
  /** Reverts to the previous backup. */
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
