package dev.holdfast.resource.volume;

/** Number of nodes that may use a volume at the same time. */
public enum AccessMode {
  /** One node reads and writes. */
  READ_WRITE_ONCE("rwo"),
  /** Many nodes read and write. */
  READ_WRITE_MANY("rwx"),
  /** Many nodes read. */
  READ_ONLY_MANY("rox");

  private final String wireName;

  AccessMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
