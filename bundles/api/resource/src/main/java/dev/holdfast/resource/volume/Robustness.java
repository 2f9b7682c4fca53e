package dev.holdfast.resource.volume;

/** How well a volume's data is kept. */
public enum Robustness {
  /** Not attached, or its engine is not heard of. */
  UNKNOWN("unknown"),
  /** As many current replicas as wanted. */
  HEALTHY("healthy"),
  /** Fewer current replicas than wanted, at least one. */
  DEGRADED("degraded"),
  /** No current replica is to be had. */
  FAULTED("faulted");

  private final String wireName;

  Robustness(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
