package dev.holdfast.resource.volume;

/** The observed state of an engine or a replica. */
public enum InstanceState {
  /** Closed. */
  STOPPED("stopped"),
  /** Opening. */
  STARTING("starting"),
  /** Open and serving requests. */
  RUNNING("running"),
  /** Closing. */
  STOPPING("stopping"),
  /** Failed; the conditions state the cause. */
  ERROR("error"),
  /** Unknown, because the node does not report. */
  UNKNOWN("unknown");

  private final String wireName;

  InstanceState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
