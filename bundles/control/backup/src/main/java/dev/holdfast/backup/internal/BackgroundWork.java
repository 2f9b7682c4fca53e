package dev.holdfast.backup.internal;

import dev.holdfast.datapath.CallFailures;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Runs work that takes too long for a step of a reconciler, one piece at a time for a name. */
public final class BackgroundWork<T> {
  private final Executor threads;
  private final Map<String, CompletableFuture<T>> running = new ConcurrentHashMap<>();

  /** Work that takes long. */
  public interface Work<T> {
    /**
     * Does the work.
     *
     * @throws StorageException on failure; {@link #take} throws it again
     */
    T run() throws StorageException;
  }

  /** Creates an object that runs work on the threads of an executor. */
  public BackgroundWork(Executor threads) {
    this.threads = threads;
  }

  /** Returns whether work for a name was started and its result not yet taken. */
  public boolean isBegun(String name) {
    return running.containsKey(name);
  }

  /** Returns the number of names whose work was started and its result not yet taken. */
  int count() {
    return running.size();
  }

  /** Starts work for a name unless it was already started. */
  public void begin(String name, Work<T> work) {
    running.computeIfAbsent(
        name,
        key ->
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return work.run();
                  } catch (StorageException e) {
                    throw new CompletionException(e);
                  }
                },
                threads));
  }

  /**
   * Takes the result of work that has ended; empty while it runs.
   *
   * @throws StorageException the failure of the work
   */
  public Optional<T> take(String name) throws StorageException {
    CompletableFuture<T> work = running.get(name);
    if (work == null || !work.isDone()) {
      return Optional.empty();
    }
    running.remove(name, work);
    try {
      return Optional.of(work.join());
    } catch (CompletionException e) {
      throw CallFailures.of(name, e);
    }
  }
}
