package dev.holdfast.resource.volume;

/** The role of a replica in its engine. */
public enum ReplicaMode {
  /** Up to date: receives every write and may serve reads. */
  RW("RW"),
  /** Being rebuilt: receives every write, serves no read. */
  WO("WO"),
  /** Failed or not up to date: receives no request. */
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
