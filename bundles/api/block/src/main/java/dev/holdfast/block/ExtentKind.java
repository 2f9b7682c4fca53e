package dev.holdfast.block;

/** Allocation state of a range of a device. */
public enum ExtentKind {
  /** Allocated, with unknown content. */
  DATA,
  /** Allocated, and known to contain zeroes. */
  ZERO,
  /** Not allocated; reads return zeroes. */
  HOLE
}
