package dev.holdfast.resource.volume;

/** How a volume may get the content of what it is a copy of. */
public enum CloneMode {
  /** It is copied: the copy has blocks of its own from the beginning. */
  FULL_COPY("full-copy"),
  /**
   * The replicas share the snapshot's content with those of the source until one of them changes
   * it, if each of them is on a disk with one of the source's; if not, it is copied. Neither volume
   * needs the other.
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
