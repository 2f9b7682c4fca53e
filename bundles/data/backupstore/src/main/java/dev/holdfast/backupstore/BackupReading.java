package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/** Reads blocks of a backup by several threads, each with one block in memory. */
public final class BackupReading {
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
   *     which say nothing about blocks
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
    AtomicInteger next = new AtomicInteger();
    ExecutorService executor = Executors.newFixedThreadPool(threads, BackupReading::thread);
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < Math.min(threadsFor(backup), count); i++) {
        workers.add(
            executor.submit(
                () -> {
                  work(backup, count, block, next, sink);
                  return null;
                }));
      }
      for (Future<?> worker : workers) {
        await(worker);
      }
    } finally {
      next.set(count);
      executor.shutdownNow();
    }
  }

  /** Fewer than asked for where their buffers would take more than an eighth of the heap. */
  private int threadsFor(StoredBackup backup) {
    long buffers = 2L * backup.summary().blockSize();
    long affordable = Runtime.getRuntime().maxMemory() / 8 / buffers;
    return (int) Math.max(1, Math.min(threads, affordable));
  }

  private void work(
      StoredBackup backup, int count, IntUnaryOperator block, AtomicInteger next, BlockSink sink)
      throws StorageException {
    BlockReader reader = new BlockReader(store, backup);
    try {
      int index = next.getAndIncrement();
      while (index < count) {
        reader.read(block.applyAsInt(index), sink);
        index = next.getAndUpdate(n -> Math.min(n + 1, count));
      }
    } catch (StorageException e) {
      // The others stop after the block that they have in hand.
      next.set(count);
      throw e;
    }
  }

  private static void await(Future<?> worker) throws StorageException {
    try {
      worker.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "reading a backup was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw new StorageException(
          ErrorCode.INTERNAL, "reading a backup failed: " + e.getCause(), e.getCause());
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "backup-reader");
    thread.setDaemon(true);
    return thread;
  }
}
