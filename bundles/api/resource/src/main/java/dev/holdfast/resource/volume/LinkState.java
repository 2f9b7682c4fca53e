package dev.holdfast.resource.volume;

/** Whether a replica shares the content of a snapshot of another volume. */
public enum LinkState {
  /** It says nothing of it. */
  NONE(""),
  /** It is not made, and could be made so. */
  POSSIBLE("possible"),
  /** It cannot be made so. */
  IMPOSSIBLE("impossible"),
  /** It was made so. */
  LINKED("linked");

  private final String wireName;

  LinkState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
