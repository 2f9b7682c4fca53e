package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Follows some named resources by watches until a condition over them holds. One thread waits; the
 * store's threads deliver the changes.
 */
public final class ResourceWait implements AutoCloseable {
  /**
   * Reasons that last shorter are not reported, because the platform needs some time to process
   * earlier events, such as the installation of an engine.
   */
  private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ResourceStore store;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Follower<?>> followers = new ArrayList<>();
  private boolean news;

  /** Creates a wait on a store without resources to follow. */
  public ResourceWait(ResourceStore store) {
    this.store = store;
  }

  /** A check of the followed resources. */
  public interface Look<T> {
    /** Returns the awaited result if present, otherwise empty. An exception ends the wait. */
    Optional<T> answer() throws StorageException;
  }

  /** Description of the reason of a wait. */
  public interface Reason {
    /** Returns the reason, empty if unknown. */
    String text();
  }

  /** Follows one resource from its present state. */
  public <R extends Resource<R>> Follower<R> follow(ResourceKind<R> kind, String name)
      throws StorageException {
    Follower<R> follower = new Follower<>(kind, name);
    follower.start();
    followers.add(follower);
    return follower;
  }

  /**
   * Waits until a check has a result.
   *
   * @param what the object, for messages
   * @throws StorageException TIMEOUT with the last reason; exceptions of the check or the store
   */
  public <T> T await(String what, Waiting waiting, Look<T> look, Reason reason)
      throws StorageException {
    long remaining = waiting.timeout().toNanos();
    String reported = "";
    String present = "";
    long lasted = 0;
    while (true) {
      restartEnded();
      Optional<T> answer = look.answer();
      if (answer.isPresent()) {
        return answer.get();
      }
      String now = reason.text();
      if (!now.equals(present)) {
        present = now;
        lasted = 0;
      }
      if (!present.equals(reported) && (lasted >= LASTING_NANOS || remaining <= 0)) {
        waiting.progress().accept(what + ": waits: " + present);
        reported = present;
      }
      if (remaining <= 0) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            what + ": not done after " + seconds(waiting) + ", still running; waits: " + now);
      }
      long most =
          present.equals(reported) ? remaining : Math.min(remaining, LASTING_NANOS - lasted);
      long slept = most - sleep(what, most);
      remaining -= slept;
      lasted += slept;
    }
  }

  private static String seconds(Waiting waiting) {
    return waiting.timeout().toMillis() / 1000.0 + " s";
  }

  private long sleep(String what, long remaining) throws StorageException {
    lock.lock();
    try {
      long left = remaining;
      while (!news && left > 0) {
        left = changed.awaitNanos(left);
      }
      news = false;
      return left;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + ": interrupted while waiting", e);
    } finally {
      lock.unlock();
    }
  }

  private void restartEnded() throws StorageException {
    for (Follower<?> follower : followers) {
      if (follower.hasEnded()) {
        follower.start();
      }
    }
  }

  @Override
  public void close() {
    followers.forEach(Follower::stop);
  }

  /** The latest state of one resource. */
  public final class Follower<R extends Resource<R>> implements WatchListener<R> {
    private final ResourceKind<R> kind;
    private final String name;
    private Optional<R> latest = Optional.empty();
    private Optional<Watch> watch = Optional.empty();
    private boolean ended;

    private Follower(ResourceKind<R> kind, String name) {
      this.kind = kind;
      this.name = name;
    }

    /** Returns the last observed state of the resource, empty if it does not exist. */
    public Optional<R> latest() {
      lock.lock();
      try {
        return latest;
      } finally {
        lock.unlock();
      }
    }

    private void start() throws StorageException {
      stop();
      ResourceList<R> list = store.list(kind, LabelSelector.ALL);
      lock.lock();
      try {
        latest = list.items().stream().filter(item -> item.name().equals(name)).findFirst();
        ended = false;
      } finally {
        lock.unlock();
      }
      watch = Optional.of(store.watch(kind, list.resourceVersion(), this));
    }

    private boolean hasEnded() {
      lock.lock();
      try {
        return ended;
      } finally {
        lock.unlock();
      }
    }

    private void stop() {
      watch.ifPresent(Watch::close);
      watch = Optional.empty();
    }

    @Override
    public void changed(WatchEvent<R> event) {
      if (!event.resource().name().equals(name)) {
        return;
      }
      Optional<R> now =
          switch (event.type()) {
            case ADDED, MODIFIED -> Optional.of(event.resource());
            case DELETED -> Optional.empty();
          };
      tell(() -> latest = now);
    }

    @Override
    public void ended(StorageException cause) {
      tell(() -> ended = true);
    }

    private void tell(Runnable update) {
      lock.lock();
      try {
        update.run();
        news = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
