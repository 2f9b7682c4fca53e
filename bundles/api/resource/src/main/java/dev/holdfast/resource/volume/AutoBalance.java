package dev.holdfast.resource.volume;

/** Whether replicas move by themselves when a better place for them turns up. */
public enum AutoBalance {
  /** As the setting replica-auto-balance says. */
  IGNORED("ignored"),
  /** They stay where they are. */
  DISABLED("disabled"),
  /** They move while two are on one node, or in one zone, and another node or zone has none. */
  LEAST_EFFORT("least-effort"),
  /** They also move while a node, or a zone, has two more of them than another. */
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
