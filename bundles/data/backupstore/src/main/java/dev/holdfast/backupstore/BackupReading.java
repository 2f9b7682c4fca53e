package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockWorkers;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.function.IntUnaryOperator;

/** Reads blocks of a backup by several threads, each with one block in memory. */
public final class BackupReading {
  private static final int RUN = 1 << 20;

  private final ObjectStore store;
  private final int threads;

  /**
   * Creates a reading.
   *
   * @param store the target, not null
   * @param threads how many blocks are read at a time, positive; fewer are read if they are so
   *     large that their buffers would take more than an eighth of the memory
   */
  public BackupReading(ObjectStore store, int threads) {
    this.store = store;
    this.threads = threads;
  }

  /**
   * Passes all blocks of a backup to a sink. Returns when the last one was taken.
   *
   * @param backup to read, not null
   * @param sink receives the blocks, not null
   * @throws StorageException what the sink threw; or UNREACHABLE, TIMEOUT, FORBIDDEN of the target,
   *     which do not concern single blocks
   */
  public void all(StoredBackup backup, BlockSink sink) throws StorageException {
    run(backup, backup.blockCount(), index -> index, sink);
  }

  /** Passes the blocks of some indexes to a sink; otherwise as {@link #all}. */
  void some(StoredBackup backup, int[] indexes, BlockSink sink) throws StorageException {
    run(backup, indexes.length, index -> indexes[index], sink);
  }

  private void run(StoredBackup backup, int count, IntUnaryOperator block, BlockSink sink)
      throws StorageException {
    // Small blocks that follow each other are read by one thread, which gets them by one request.
    int run = Math.max(1, RUN / backup.summary().blockSize());
    BlockWorkers.run(
        "reading a backup",
        threadsFor(backup),
        (count + run - 1) / run,
        () -> {
          BlockReader reader = new BlockReader(store, backup);
          return unit -> {
            for (int i = unit * run; i < Math.min(count, (unit + 1) * run); i++) {
              reader.read(block.applyAsInt(i), sink);
            }
          };
        });
  }

  /** Fewer than asked for where their buffers would take more than an eighth of the heap. */
  private int threadsFor(StoredBackup backup) {
    return BlockWorkers.affordable(threads, 2L * backup.summary().blockSize());
  }
}
