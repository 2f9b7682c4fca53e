package dev.holdfast.resource.volume;

/** How far a rebuild got. */
public enum RebuildState {
  /** It is being made current. */
  IN_PROGRESS("in_progress"),
  /** The replica is current. */
  COMPLETE("complete"),
  /** It was given up. */
  ERROR("error");

  private final String wireName;

  RebuildState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
