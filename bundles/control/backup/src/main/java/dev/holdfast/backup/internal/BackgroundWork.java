package dev.holdfast.backup.internal;

import dev.holdfast.datapath.CallFailures;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Work for resources that takes too long for a step of a reconciler: one at a time for a name. */
public final class BackgroundWork<T> {
  private final Executor threads;
  private final Map<String, CompletableFuture<T>> running = new ConcurrentHashMap<>();

  /** Something that takes long. */
  public interface Work<T> {
    /**
     * Does the work.
     *
     * @throws StorageException what {@link #take} then throws
     */
    T run() throws StorageException;
  }

  /** Works on the threads of an executor. */
  public BackgroundWork(Executor threads) {
    this.threads = threads;
  }

  /** Returns whether work for a name was begun and its result not yet taken. */
  public boolean isBegun(String name) {
    return running.containsKey(name);
  }

  /** Returns the number of names whose work was begun and its result not yet taken. */
  int count() {
    return running.size();
  }

  /** Begins work for a name unless it is begun. */
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
   * @throws StorageException that the work failed with
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
