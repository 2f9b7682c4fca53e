package dev.holdfast.share;

/** Users of a client that become the anonymous user on the server. */
public enum ShareSquash {
  /** No user. */
  NONE("none"),
  /** The superuser. */
  ROOT("root"),
  /** Every user. */
  ALL("all");

  private final String wireName;

  ShareSquash(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
