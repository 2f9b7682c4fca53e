package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs steps that may take minutes, one at a time for each share, outside of the reconcilers'
 * threads. Thread-safe.
 */
final class ShareJobs {
  private final Executor executor;
  private final Map<String, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

  ShareJobs(Executor executor) {
    this.executor = executor;
  }

  /** A step. */
  interface Step {
    void run() throws StorageException;
  }

  /**
   * Starts a step unless one of this name runs, and returns without waiting for it.
   *
   * @return false while a step runs
   * @throws StorageException thrown by the last step of this name; no step is started then
   */
  boolean run(String name, Step step) throws StorageException {
    Optional<CompletableFuture<Void>> last = Optional.ofNullable(running.get(name));
    if (last.isPresent()) {
      return isDone(name, last.get());
    }
    CompletableFuture<Void> begun = CompletableFuture.runAsync(() -> attempt(step), executor);
    running.put(name, begun);
    return isDone(name, begun);
  }

  private boolean isDone(String name, CompletableFuture<Void> job) throws StorageException {
    if (!job.isDone()) {
      return false;
    }
    running.remove(name, job);
    try {
      job.join();
      return true;
    } catch (CompletionException e) {
      throw unwrapped(e);
    }
  }

  private static StorageException unwrapped(CompletionException wrapper) {
    Throwable cause = wrapper.getCause();
    if (cause instanceof Failed failed) {
      return failed.cause;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    if (cause instanceof RuntimeException defect) {
      throw defect;
    }
    return new StorageException(ErrorCode.INTERNAL, String.valueOf(cause), cause);
  }

  private static void attempt(Step step) {
    try {
      step.run();
    } catch (StorageException e) {
      throw new Failed(e);
    }
  }

  /** Carries a checked exception through a future. */
  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final StorageException cause;

    Failed(StorageException cause) {
      super(cause);
      this.cause = cause;
    }
  }
}
