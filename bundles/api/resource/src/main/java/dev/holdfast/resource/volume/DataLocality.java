package dev.holdfast.resource.volume;

/** Whether a replica should be on the node that uses the volume. */
public enum DataLocality {
  /** It does not matter. */
  DISABLED("disabled"),
  /** If there is room. */
  BEST_EFFORT("best-effort"),
  /** The only replica must be there. */
  STRICT_LOCAL("strict-local");

  private final String wireName;

  DataLocality(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
