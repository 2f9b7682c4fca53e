package dev.holdfast.resource.restore;

/**
 * The ways in which a restore may treat a block of the backup that is missing or has other bytes.
 *
 * @since 1.0
 */
public enum RestoreDamaged {
  /** The part of the volume is not restored, and clients that use it get an error. */
  FAIL("fail"),
  /** The part of the volume has zeroes, and status.restore.damaged names it. */
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
