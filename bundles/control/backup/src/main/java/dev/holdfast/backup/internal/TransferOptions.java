package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.LockTiming;

/**
 * Options for the work of this node at targets.
 *
 * @param timing of the locks there
 * @param threads number of blocks of a backup that are processed at a time
 */
record TransferOptions(LockTiming timing, int threads) {
  /** The options of a running node. */
  static final TransferOptions SYSTEM =
      new TransferOptions(
          LockTiming.SYSTEM, Math.min(4, Runtime.getRuntime().availableProcessors()));
}
