package dev.holdfast.resource.restore;

/**
 * The ways in which a volume may be restored from a backup.
 *
 * @since 1.0
 */
public enum RestoreMode {
  /** No client reaches the volume before its content is whole. */
  WHOLE("whole"),
  /**
   * Clients use the volume while its content is restored. A request for a part that is missing
   * waits until that part is read from the target, before other parts.
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
