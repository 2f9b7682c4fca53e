package dev.holdfast.resource.volume;

/** The progress of a volume's first content, from another volume or from a backup. */
public enum CloneState {
  /** The copy has not begun, or the volume has no source. */
  NONE(""),
  /**
   * The content is being copied. Once copySize is known, a clone can be used on the node that
   * copies.
   */
  INITIATED("initiated"),
  /** The copy is complete, but some replicas do not have it yet. The volume can be used. */
  COPY_COMPLETED_AWAITING_HEALTHY("copy-completed-awaiting-healthy"),
  /** The copy is complete on all replicas. */
  COMPLETED("completed"),
  /** The last attempt failed and another one follows. The volume cannot be used until then. */
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
