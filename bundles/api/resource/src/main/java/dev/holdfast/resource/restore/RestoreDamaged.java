package dev.holdfast.resource.restore;

/**
 * Treatment of missing or damaged blocks of a backup during a restore.
 *
 * @since 1.0
 */
public enum RestoreDamaged {
  /** The part of the volume is not restored, and requests to it fail. */
  FAIL("fail"),
  /** The part of the volume is zeroed, and status.restore.damaged names it. */
  ZERO("zero");

  private final String wireName;

  RestoreDamaged(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
