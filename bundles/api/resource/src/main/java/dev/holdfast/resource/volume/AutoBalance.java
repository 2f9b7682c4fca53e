package dev.holdfast.resource.volume;

/** Sets whether the volume controller moves replicas to better places. */
public enum AutoBalance {
  /** The setting replica-auto-balance decides. */
  IGNORED("ignored"),
  /** Replicas are not moved. */
  DISABLED("disabled"),
  /** Replicas move while one node or zone holds two of them and another holds none. */
  LEAST_EFFORT("least-effort"),
  /** Replicas also move while one node or zone holds two more of them than another. */
  BEST_EFFORT("best-effort");

  private final String wireName;

  AutoBalance(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
