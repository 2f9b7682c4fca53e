package dev.holdfast.backupstore.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Handles numbered blocks by several threads. The first failure ends all of them. */
public final class BlockWorkers {
  private BlockWorkers() {}

  /** Handles blocks, one at a time, with buffers of its own. */
  public interface Worker {
    void handle(int index) throws StorageException;
  }

  /** Returns fewer threads than asked for if their buffers would take an eighth of the heap. */
  public static int affordable(int threads, long buffersOfOne) {
    long affordable = Runtime.getRuntime().maxMemory() / 8 / buffersOfOne;
    return (int) Math.max(1, Math.min(threads, affordable));
  }

  /** Handles the blocks from 0 to count, and returns when all are handled. */
  public static void run(String what, int threads, int count, Supplier<Worker> workers)
      throws StorageException {
    AtomicInteger next = new AtomicInteger();
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            work -> {
              Thread thread = new Thread(work, "backup-blocks");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < Math.min(threads, count); i++) {
        running.add(
            executor.submit(
                () -> {
                  work(count, next, workers.get());
                  return null;
                }));
      }
      awaitAll(what, running);
    } finally {
      next.set(count);
      executor.shutdownNow();
    }
  }

  private static void work(int count, AtomicInteger next, Worker worker) throws StorageException {
    boolean complete = false;
    try {
      int index = next.getAndIncrement();
      while (index < count) {
        worker.handle(index);
        index = next.getAndUpdate(n -> Math.min(n + 1, count));
      }
      complete = true;
    } finally {
      if (!complete) {
        // The others stop after the block that they have in hand.
        next.set(count);
      }
    }
  }

  /** Returns or fails only after all workers have ended. */
  private static void awaitAll(String what, List<Future<?>> running) throws StorageException {
    StorageException failure = null;
    for (Future<?> worker : running) {
      try {
        worker.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.TIMEOUT, what + " was interrupted", e);
      } catch (ExecutionException e) {
        StorageException cause = failure(what, e.getCause());
        failure = failure == null ? cause : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static StorageException failure(String what, Throwable cause) {
    return cause instanceof StorageException known
        ? known
        : new StorageException(ErrorCode.INTERNAL, what + " failed: " + cause, cause);
  }
}
