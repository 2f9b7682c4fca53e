package dev.holdfast.resource.backup;

/**
 * Treatment of the scheduled times of a recurring job that passed while the job could not begin.
 */
public enum MissedRuns {
  /** One run replaces all missed times. */
  ONCE("once"),
  /** Missed times are skipped. */
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
