package dev.holdfast.engine.spdk.internal;

/** Processes that end during a call. */
enum SpdkCrashEnd {
  /** The engine ends. The target continues. */
  ENGINE,
  /** The engine and the target end, as in a crash of the machine. */
  BOTH,
  /** The target ends. The engine restores its open volumes. */
  TARGET
}
