package dev.holdfast.resource.volume;

/** What an engine or a replica shall do. */
public enum DesireState {
  /** Close. */
  STOPPED("stopped"),
  /** Open and serve. */
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
