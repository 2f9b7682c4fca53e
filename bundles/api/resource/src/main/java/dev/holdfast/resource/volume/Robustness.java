package dev.holdfast.resource.volume;

/** The redundancy of a volume's data. */
public enum Robustness {
  /** Not attached, or the engine does not report. */
  UNKNOWN("unknown"),
  /** As many healthy replicas as wanted. */
  HEALTHY("healthy"),
  /** Fewer healthy replicas than wanted, at least one. */
  DEGRADED("degraded"),
  /** No healthy replica is available. */
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
