package dev.holdfast.resource.volume;

/** Report whether a replica shares the content of another volume's snapshot. */
public enum LinkState {
  /** Not reported. */
  NONE(""),
  /** The replica is not provisioned and could share the content. */
  POSSIBLE("possible"),
  /** The replica cannot share the content. */
  IMPOSSIBLE("impossible"),
  /** The replica was provisioned with the shared content. */
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
