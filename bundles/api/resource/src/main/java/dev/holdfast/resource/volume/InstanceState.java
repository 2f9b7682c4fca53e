package dev.holdfast.resource.volume;

/** What an engine or a replica does now. */
public enum InstanceState {
  /** Not running; nothing is open. */
  STOPPED("stopped"),
  /** On its way to running. */
  STARTING("starting"),
  /** Open and serving. */
  RUNNING("running"),
  /** On its way to stopped. */
  STOPPING("stopping"),
  /** It failed; its conditions say why. */
  ERROR("error"),
  /** Its node is not heard of. */
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
