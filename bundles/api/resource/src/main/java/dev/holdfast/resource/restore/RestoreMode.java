package dev.holdfast.resource.restore;

/**
 * Modes of a restore from a backup.
 *
 * @since 1.0
 */
public enum RestoreMode {
  /** Clients cannot use the volume before its content is complete. */
  WHOLE("whole"),
  /**
   * Clients use the volume while its content is restored. A request for a missing part waits while
   * that part is read from the target with priority.
   */
  LAZY("lazy");

  private final String wireName;

  RestoreMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
