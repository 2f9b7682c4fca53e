package dev.holdfast.engine.spdk.internal;

/** Processes that end in the middle of a call. */
enum SpdkCrashEnd {
  /** The engine. The target runs all the time. */
  ENGINE,
  /** The engine and the target, as with the machine. */
  BOTH,
  /** The target. The engine restores its open volumes. */
  TARGET
}
