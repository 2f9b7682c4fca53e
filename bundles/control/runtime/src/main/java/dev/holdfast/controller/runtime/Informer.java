package dev.holdfast.controller.runtime;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mirrors all resources of one kind: lists, watches, and lists again when the watch ends. Handlers
 * receive every resource that may have changed, without the lock, possibly more than once.
 * Thread-safe.
 */
final class Informer<R extends Resource<R>> {
  private static final Logger LOG = LoggerFactory.getLogger(Informer.class);
  private static final Backoff RECONNECT =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));

  private final ResourceKind<R> kind;
  private final ResourceStore store;
  private final TaskExecutor tasks;
  private final RandomGenerator random;
  private final Mirror<R> mirror = new Mirror<>();
  private final List<Handler<R>> handlers = new CopyOnWriteArrayList<>();
  private Optional<Connection> connection = Optional.empty();
  private int failures;
  private boolean closed;

  /** Receives changes. */
  interface Handler<R extends Resource<R>> {
    /** Called after every list, when the mirror is complete. */
    void synced();

    /** Called when a resource was created, changed or removed, with its current or last state. */
    void touched(R resource);
  }

  Informer(ResourceKind<R> kind, ResourceStore store, TaskExecutor tasks, RandomGenerator random) {
    this.kind = kind;
    this.store = store;
    this.tasks = tasks;
    this.random = random;
  }

  void start() {
    tasks.execute(this::connect);
  }

  Mirror<R> mirror() {
    return mirror;
  }

  /** Adds a handler, and calls it at once if the mirror is already complete. */
  void addHandler(Handler<R> handler) {
    handlers.add(handler);
    if (mirror.isSynced()) {
      handler.synced();
    }
  }

  void removeHandler(Handler<R> handler) {
    handlers.remove(handler);
  }

  void close() {
    Optional<Connection> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = Optional.empty();
    }
    last.ifPresent(Connection::close);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void connect() {
    if (isClosed()) {
      return;
    }
    Connection next = new Connection();
    try {
      Mirror.Listing listing = mirror.beginListing();
      ResourceList<R> list = store.list(kind, LabelSelector.ALL);
      Optional<List<R>> touched = mirror.replace(list.items(), listing);
      if (touched.isEmpty()) {
        reconnectLater(next);
        return;
      }
      handlers.forEach(Handler::synced);
      touched.get().forEach(this::tell);
      synchronized (this) {
        if (closed) {
          return;
        }
        connection = Optional.of(next);
      }
      next.begin(store.watch(kind, list.resourceVersion(), next));
      synchronized (this) {
        failures = 0;
      }
    } catch (StorageException e) {
      LOG.debug("{}: cannot list and watch, trying again: {}", kind.plural(), e.getMessage());
      reconnectLater(next);
    }
  }

  private void reconnectLater(Connection ended) {
    Duration delay;
    synchronized (this) {
      if (closed) {
        return;
      }
      if (connection.isPresent() && connection.get() == ended) {
        connection = Optional.empty();
      }
      delay = RECONNECT.after(++failures, random);
    }
    tasks.schedule(this::connect, delay);
  }

  private void tell(R resource) {
    handlers.forEach(handler -> handler.touched(resource));
  }

  /** Reports a write of this runtime to the handlers. */
  void touched(R resource) {
    tell(resource);
  }

  /** One watch, from its list to its end. */
  private final class Connection implements WatchListener<R> {
    private Optional<Watch> watch = Optional.empty();
    private boolean over;

    private void begin(Watch started) {
      boolean late;
      synchronized (this) {
        late = over;
        watch = Optional.of(started);
      }
      if (late) {
        started.close();
      }
    }

    private void close() {
      Optional<Watch> started;
      synchronized (this) {
        over = true;
        started = watch;
      }
      started.ifPresent(Watch::close);
    }

    private synchronized boolean isOver() {
      return over;
    }

    @Override
    public void changed(WatchEvent<R> event) {
      if (!isOver() && mirror.apply(event)) {
        tell(event.resource());
      }
    }

    @Override
    public void ended(StorageException cause) {
      synchronized (this) {
        if (over) {
          return;
        }
        over = true;
      }
      LOG.debug("{}: watch ended, listing again: {}", kind.plural(), cause.getMessage());
      reconnectLater(this);
    }
  }
}
