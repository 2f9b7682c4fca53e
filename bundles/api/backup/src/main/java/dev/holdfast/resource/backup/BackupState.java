package dev.holdfast.resource.backup;

/** State of a backup. */
public enum BackupState {
  /** Its snapshot is not ready. */
  NONE(""),
  /** It is being written, or waits for its volume. */
  IN_PROGRESS("InProgress"),
  /** It was read back from the target. */
  COMPLETED("Completed"),
  /** The last attempt failed. */
  ERROR("Error");

  private final String wireName;

  BackupState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
