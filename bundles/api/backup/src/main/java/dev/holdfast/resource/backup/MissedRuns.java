package dev.holdfast.resource.backup;

/** Treatment of the times of a recurring job that passed while it could not begin. */
public enum MissedRuns {
  /** The last one is made up once. */
  ONCE("once"),
  /** None is made up. */
  SKIP("skip");

  private final String wireName;

  MissedRuns(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
