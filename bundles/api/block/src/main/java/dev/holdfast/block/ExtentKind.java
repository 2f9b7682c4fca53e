package dev.holdfast.block;

/** How a range of a device is stored. */
public enum ExtentKind {
  /** Allocated; content unknown. */
  DATA,
  /** Allocated, and known to read as zeroes. */
  ZERO,
  /** Not allocated; reads as zeroes. */
  HOLE
}
