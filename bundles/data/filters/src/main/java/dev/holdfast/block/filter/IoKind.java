package dev.holdfast.block.filter;

/** The kinds of requests. */
public enum IoKind {
  /** A read. */
  READ(0),
  /** A write. */
  WRITE(1),
  /** A flush. */
  FLUSH(2),
  /** A trim. */
  TRIM(3),
  /** A write of zeroes. */
  WRITE_ZEROES(4),
  /** A query of extents. */
  EXTENTS(5);

  private final int slot;

  IoKind(int slot) {
    this.slot = slot;
  }

  /** Returns the index of the kind's counters. */
  int slot() {
    return slot;
  }
}
