package dev.holdfast.schedule;

/**
 * The permitted values of one field of a cron expression.
 *
 * @param bits one bit for each value
 * @param wildcard whether an item of the field is {@code *} or {@code ?} without a step
 */
record CronField(long bits, boolean wildcard) {

  /** Returns whether the field permits a value. */
  boolean has(int value) {
    return (bits >>> value & 1) != 0;
  }

  /** Returns the smallest permitted value that is at least the given value; -1 for none. */
  int from(int value) {
    long rest = value > 63 ? 0 : bits & (-1L << value);
    return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
  }
}
