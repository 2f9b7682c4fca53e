package dev.holdfast.resource.backup;

/** State of a backup. */
public enum BackupState {
  /** The snapshot of the backup is not ready. */
  NONE(""),
  /** The backup is being written, or waits for its volume. */
  IN_PROGRESS("InProgress"),
  /** The backup was written and read back from the target. */
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
