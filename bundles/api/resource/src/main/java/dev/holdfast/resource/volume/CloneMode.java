package dev.holdfast.resource.volume;

/** Modes in which a clone can receive the content of its source. */
public enum CloneMode {
  /** The content is copied, and the clone has its own blocks from the beginning. */
  FULL_COPY("full-copy"),
  /**
   * The replicas share unchanged content with those of the source if each of them is on a disk that
   * holds a replica of the source. Otherwise the content is copied. Neither volume depends on the
   * other.
   */
  LINKED_CLONE("linked-clone");

  private final String wireName;

  CloneMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
