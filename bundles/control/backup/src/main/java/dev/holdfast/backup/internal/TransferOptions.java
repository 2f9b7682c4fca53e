package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.LockTiming;

/**
 * How this node works at targets.
 *
 * @param timing of the locks there
 * @param threads how many blocks of a backup are handled at a time
 */
record TransferOptions(LockTiming timing, int threads) {
  /** The options of a running node. */
  static final TransferOptions SYSTEM =
      new TransferOptions(
          LockTiming.SYSTEM, Math.min(4, Runtime.getRuntime().availableProcessors()));
}
