package dev.holdfast.resource.backup;

/** Amount of data that is sent for a backup. */
public enum BackupMode {
  /** Only blocks that the target does not have. */
  INCREMENTAL("incremental"),
  /** All blocks, also those that the target has. */
  FULL("full");

  private final String wireName;

  BackupMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
