package dev.holdfast.store.runtime;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * One watch: a position in the kept changes, advanced by at most one task at a time.
 *
 * <p>{@code wakes} counts unprocessed wake-ups; the thread that raises it from 0 starts the task.
 * {@code calling} is held around each call of the listener, so that {@link #close} can wait for a
 * running call; it is re-entrant for a listener that closes its own watch.
 */
final class FeedWatch<R extends Resource<R>> implements Watch {
  private static final int BATCH = 100;

  private final ChangeSource source;
  private final Executor executor;
  private final ResourceKind<R> kind;
  private final WatchListener<R> listener;
  private final Consumer<FeedWatch<R>> onEnd;
  private final AtomicInteger wakes = new AtomicInteger();
  private final AtomicReference<StorageException> end = new AtomicReference<>();
  private final ReentrantLock calling = new ReentrantLock();
  private long position;
  private volatile boolean closed;

  FeedWatch(
      ChangeSource source,
      Executor executor,
      ResourceKind<R> kind,
      long position,
      WatchListener<R> listener,
      Consumer<FeedWatch<R>> onEnd) {
    this.source = source;
    this.executor = executor;
    this.kind = kind;
    this.position = position;
    this.listener = listener;
    this.onEnd = onEnd;
  }

  ResourceKind<R> kind() {
    return kind;
  }

  void wake() {
    if (wakes.getAndIncrement() == 0) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException e) {
        // The feed was closed at the same time. It has already delivered the change to this watch,
        // or never will.
        closed = true;
      }
    }
  }

  void endWith(StorageException cause) {
    end.compareAndSet(null, cause);
    wake();
  }

  @Override
  public void close() {
    closed = true;
    calling.lock();
    try {
      onEnd.accept(this);
    } finally {
      calling.unlock();
    }
  }

  private void run() {
    int done = wakes.get();
    while (done != 0) {
      deliver();
      done = wakes.addAndGet(-done);
    }
  }

  private void deliver() {
    try {
      while (!closed && end.get() == null) {
        List<Change<R>> changes = source.changesAfter(kind, position, BATCH);
        if (changes.isEmpty()) {
          return;
        }
        for (Change<R> change : changes) {
          if (end.get() != null || !call(() -> listener.changed(change.event()))) {
            break;
          }
          position = change.version();
        }
      }
    } catch (StorageException e) {
      end.compareAndSet(null, e);
    } catch (RuntimeException e) {
      end.compareAndSet(
          null,
          new StorageException(
              ErrorCode.INTERNAL, "the listener of a watch of " + kind.plural() + " failed", e));
    }
    StorageException cause = end.get();
    if (cause != null) {
      onEnd.accept(this);
      call(() -> listener.ended(cause));
      closed = true;
    }
  }

  private boolean call(Runnable listenerCall) {
    calling.lock();
    try {
      if (closed) {
        return false;
      }
      listenerCall.run();
      return true;
    } finally {
      calling.unlock();
    }
  }
}
