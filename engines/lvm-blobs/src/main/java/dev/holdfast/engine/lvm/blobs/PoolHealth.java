package dev.holdfast.engine.lvm.blobs;

/** Whether an active thin pool serves writes to blocks that it has not allocated yet. */
public enum PoolHealth {
  /** It does. */
  GOOD,
  /** It has no block left: such writes wait until it is extended. */
  FULL,
  /** It refuses all writes to such blocks, and needs a repair. */
  DAMAGED
}
