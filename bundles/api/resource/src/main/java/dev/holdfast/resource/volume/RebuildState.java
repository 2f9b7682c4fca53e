package dev.holdfast.resource.volume;

/** The progress of a rebuild. */
public enum RebuildState {
  /** The data is being copied. */
  IN_PROGRESS("in_progress"),
  /** The replica has all data. */
  COMPLETE("complete"),
  /** The rebuild failed or was cancelled. */
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
