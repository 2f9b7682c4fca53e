package dev.holdfast.store.runtime;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Delivers the changes of a store to its watches. Each watch reads the kept changes at its own
 * pace, so a writer never waits for a listener. A listener that falls behind the kept changes ends
 * with EXPIRED.
 */
public final class ChangeFeed implements AutoCloseable {
  private static final int SECONDS_TO_FINISH = 5;

  private final ChangeSource source;
  private final ExecutorService executor;
  private final Set<FeedWatch<?>> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates a feed.
   *
   * @param source source of the changes
   * @param name name of the store, for its threads
   */
  public ChangeFeed(ChangeSource source, String name) {
    this.source = source;
    AtomicInteger count = new AtomicInteger();
    executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, name + "-watch-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts a watch.
   *
   * @throws StorageException as {@link dev.holdfast.store.ResourceStore#watch}
   */
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    long version = Versions.parse(resourceVersion);
    source.changesAfter(kind, version, 1);
    FeedWatch<R> watch =
        new FeedWatch<>(source, executor, kind, version, listener, watches::remove);
    watches.add(watch);
    if (closed) {
      watches.remove(watch);
      throw storeClosed();
    }
    watch.wake();
    return watch;
  }

  /** Reports that a change of a kind has become durable. */
  public void changed(ResourceKind<?> kind) {
    for (FeedWatch<?> watch : watches) {
      if (watch.kind().kind().equals(kind.kind())) {
        watch.wake();
      }
    }
  }

  /** Ends all watches with UNREACHABLE and waits a short time for listeners to return. */
  @Override
  public void close() {
    closed = true;
    watches.forEach(watch -> watch.endWith(storeClosed()));
    executor.shutdown();
    try {
      if (!executor.awaitTermination(SECONDS_TO_FINISH, TimeUnit.SECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private static StorageException storeClosed() {
    return new StorageException(ErrorCode.UNREACHABLE, "the resource store was closed");
  }
}
