package dev.holdfast.authorization.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cache of all resources of one kind, by an immutable key. Lists and watches, and lists again after
 * the end of a watch. While the store does not answer, the last state remains. Thread-safe.
 */
final class KindCache<R extends Resource<R>> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KindCache.class);
  private static final long RETRY_MILLIS = 500;

  private final ResourceKind<R> kind;
  private final ResourceStore store;
  private final Function<R, String> key;
  private final ScheduledExecutorService worker;

  /** Null until the first list. */
  private volatile Map<String, R> items;

  private Optional<Connection> connection = Optional.empty();
  private boolean closed;

  KindCache(
      ResourceKind<R> kind,
      ResourceStore store,
      Function<R, String> key,
      ScheduledExecutorService worker) {
    this.kind = kind;
    this.store = store;
    this.key = key;
    this.worker = worker;
  }

  /** Returns whether the resources were read at least once. */
  boolean isRead() {
    return items != null;
  }

  /** Returns the resource with a key. */
  Optional<R> find(String wanted) {
    Map<String, R> current = items;
    return current == null ? Optional.empty() : Optional.ofNullable(current.get(wanted));
  }

  /** Returns the resource with a key from the store, because the watch may be late. */
  Optional<R> read(String wanted) throws StorageException {
    return store.list(kind, LabelSelector.ALL).items().stream()
        .filter(resource -> key.apply(resource).equals(wanted))
        .findFirst();
  }

  /** Returns all resources in unspecified order; empty before the first list. */
  Collection<R> all() {
    Map<String, R> current = items;
    return current == null ? List.of() : current.values();
  }

  /** Lists and watches; after a failure tries again later. */
  void connect() {
    Connection next = new Connection();
    synchronized (this) {
      if (closed) {
        return;
      }
      connection = Optional.of(next);
    }
    try {
      ResourceList<R> list = store.list(kind, LabelSelector.ALL);
      next.replaceAll(list.items());
      next.begin(store.watch(kind, list.resourceVersion(), next));
    } catch (StorageException e) {
      LOG.debug("{}: could not list and watch, trying again: {}", kind.plural(), e.getMessage());
      connectLater(next);
    }
  }

  private void connectLater(Connection ended) {
    synchronized (this) {
      if (closed || connection.filter(current -> current == ended).isEmpty()) {
        return;
      }
      connection = Optional.empty();
    }
    try {
      Future<?> unused = worker.schedule(this::connect, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed while trying again", kind.plural(), e);
    }
  }

  @Override
  public void close() {
    Optional<Connection> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = Optional.empty();
    }
    last.ifPresent(Connection::close);
  }

  /** One watch, from its list to its end. */
  private final class Connection implements WatchListener<R> {
    private final Map<String, R> own = new ConcurrentHashMap<>();
    private Optional<Watch> watch = Optional.empty();
    private boolean over;

    private void replaceAll(List<R> listed) {
      listed.forEach(resource -> own.put(key.apply(resource), resource));
      items = own;
    }

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

    @Override
    public void changed(WatchEvent<R> event) {
      String changed = key.apply(event.resource());
      switch (event.type()) {
        case ADDED, MODIFIED -> own.put(changed, event.resource());
        case DELETED -> own.remove(changed);
      }
    }

    @Override
    public void ended(StorageException cause) {
      LOG.debug("{}: watch ended, listing again: {}", kind.plural(), cause.getMessage());
      connectLater(this);
    }
  }
}
