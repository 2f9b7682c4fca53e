package dev.holdfast.resource.backup;

/** State of a system restore. */
public enum SystemRestoreState {
  /** The work has not begun. */
  NONE(""),
  /** Resources are being created, or volumes wait for their content. */
  IN_PROGRESS("InProgress"),
  /** Each item was tried, and the created volumes have their content. */
  COMPLETED("Completed"),
  /** The last attempt failed. */
  ERROR("Error");

  private final String wireName;

  SystemRestoreState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
