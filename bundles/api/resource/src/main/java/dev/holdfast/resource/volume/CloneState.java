package dev.holdfast.resource.volume;

/** How far the first content of a volume is that is a copy of another. */
public enum CloneState {
  /** Nothing was begun, or nothing is to be copied. */
  NONE(""),
  /**
   * It is being copied; as soon as the copy has a size, the volume can be used where it is made.
   */
  INITIATED("initiated"),
  /** The content is whole; some replicas do not have it yet. The volume can be used. */
  COPY_COMPLETED_AWAITING_HEALTHY("copy-completed-awaiting-healthy"),
  /** The content is whole on all replicas. */
  COMPLETED("completed"),
  /** An attempt failed; another one follows. Nobody can use the volume. */
  FAILED("failed");

  private final String wireName;

  CloneState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
