package dev.holdfast.store.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Records all events of a watch, and detects overlapping calls. */
final class RecordingListener<R extends Resource<R>> implements WatchListener<R> {
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(30);

  private final List<WatchEvent<R>> events = new ArrayList<>();
  private Optional<StorageException> end = Optional.empty();
  private Optional<Thread> inside = Optional.empty();
  private boolean overlapped;

  @Override
  public void changed(WatchEvent<R> event) {
    enter();
    synchronized (this) {
      events.add(event);
      inside = Optional.empty();
      notifyAll();
    }
  }

  @Override
  public void ended(StorageException cause) {
    enter();
    synchronized (this) {
      end = Optional.of(cause);
      inside = Optional.empty();
      notifyAll();
    }
  }

  private synchronized void enter() {
    overlapped |= inside.isPresent();
    inside = Optional.of(Thread.currentThread());
  }

  synchronized List<WatchEvent<R>> events() {
    if (overlapped) {
      throw new AssertionError("the listener was called by two threads at a time");
    }
    return List.copyOf(events);
  }

  /** Waits for a number of events. */
  List<WatchEvent<R>> await(int count) throws InterruptedException {
    return awaitThat(seen -> seen.size() >= count);
  }

  /** Waits until the events satisfy a condition. */
  synchronized List<WatchEvent<R>> awaitThat(Predicate<List<WatchEvent<R>>> condition)
      throws InterruptedException {
    awaitAny(() -> end.isPresent() || condition.test(events));
    if (!condition.test(events)) {
      throw new AssertionError("the watch ended after " + events, end.orElseThrow());
    }
    return events();
  }

  /** Waits for the end of the watch. */
  synchronized StorageException awaitEnd() throws InterruptedException {
    awaitAny(() -> end.isPresent());
    return end.orElseThrow();
  }

  private synchronized void awaitAny(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT;
    while (!condition.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("no such event within 30 s; events so far: " + events);
      }
      wait(left);
    }
  }
}
