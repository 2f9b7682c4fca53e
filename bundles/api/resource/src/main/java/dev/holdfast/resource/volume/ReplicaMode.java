package dev.holdfast.resource.volume;

/** What the engine does with a replica. */
public enum ReplicaMode {
  /** Current: gets every write and may serve reads. */
  RW("RW"),
  /** Being rebuilt: gets every write, serves no read. */
  WO("WO"),
  /** Failed or not current: gets nothing. */
  ERR("ERR");

  private final String wireName;

  ReplicaMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
