package dev.holdfast.resource.volume;

/** Placement of a replica on the node that uses the volume. */
public enum DataLocality {
  /** Not required. */
  DISABLED("disabled"),
  /** Preferred, if that node has enough space. */
  BEST_EFFORT("best-effort"),
  /** Required: the only replica is on that node. */
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
