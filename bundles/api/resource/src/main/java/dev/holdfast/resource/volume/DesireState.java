package dev.holdfast.resource.volume;

/** The wanted state of an engine or a replica. */
public enum DesireState {
  /** Closed. */
  STOPPED("stopped"),
  /** Open and serving requests. */
  RUNNING("running");

  private final String wireName;

  DesireState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
