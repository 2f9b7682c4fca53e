package dev.holdfast.store.memory;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.runtime.Change;
import dev.holdfast.store.runtime.ChangeFeed;
import dev.holdfast.store.runtime.Transition;
import dev.holdfast.store.runtime.WriteRules;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Keeps resources in memory with the full semantics of a {@link ResourceStore}. Returned resources
 * have passed through the same JSON as in the other stores. Thread-safe: one lock guards all state.
 * It is held neither during calls of listeners nor during blocking calls.
 */
public final class MemoryResourceStore implements ResourceStore, AutoCloseable {
  /** Default number of changes of each kind kept for watches. */
  public static final int DEFAULT_KEPT_CHANGES = 10_000;

  private final Object lock = new Object();
  private final Map<String, KindTable<?>> tables = new HashMap<>();
  private final int keptChanges;
  private final WriteRules rules;
  private final ChangeFeed feed = new ChangeFeed(this::changesAfter, "store-memory");
  private long latestVersion;

  /** Creates an empty store with the system's clock. */
  public MemoryResourceStore() {
    this(Clock.systemUTC(), DEFAULT_KEPT_CHANGES);
  }

  /**
   * Creates an empty store.
   *
   * @param clock source of creation and deletion timestamps
   * @param keptChanges number of changes of each kind kept for watches, at least 1
   */
  public MemoryResourceStore(Clock clock, int keptChanges) {
    this.keptChanges = keptChanges;
    this.rules = new WriteRules(new ResourceJson(), clock, () -> UUID.randomUUID().toString());
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    synchronized (lock) {
      return table(kind).get(name);
    }
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(
      ResourceKind<R> kind, LabelSelector selector) {
    synchronized (lock) {
      return new ResourceList<>(table(kind).select(selector), Long.toString(latestVersion));
    }
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return write(resource.resourceKind(), resource.name(), stored -> rules.create(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return write(resource.resourceKind(), resource.name(), stored -> rules.update(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return write(
            resource.resourceKind(),
            resource.name(),
            stored -> rules.updateStatus(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return write(kind, name, stored -> rules.delete(stored, kind, name, uid)).remaining();
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    return feed.watch(kind, resourceVersion, listener);
  }

  /** Ends all watches; reads and writes remain possible. */
  @Override
  public void close() {
    feed.close();
  }

  private interface Rule<R extends Resource<R>> {
    Transition<R> decide(Optional<R> stored) throws StorageException;
  }

  private <R extends Resource<R>> Transition<R> write(
      ResourceKind<R> kind, String name, Rule<R> rule) throws StorageException {
    Transition<R> done;
    synchronized (lock) {
      KindTable<R> table = table(kind);
      Transition<R> decided = rule.decide(table.get(name));
      if (decided.change().isEmpty()) {
        return decided;
      }
      latestVersion++;
      done = decided.withVersion(latestVersion);
      table.apply(new WatchEvent<>(decided.change().get(), done.resource()), latestVersion);
    }
    feed.changed(kind);
    return done;
  }

  private <R extends Resource<R>> List<Change<R>> changesAfter(
      ResourceKind<R> kind, long version, int limit) throws StorageException {
    synchronized (lock) {
      return table(kind).changesAfter(version, limit, latestVersion);
    }
  }

  @SuppressWarnings("unchecked") // a kind's table holds that kind's type only
  private <R extends Resource<R>> KindTable<R> table(ResourceKind<R> kind) {
    return (KindTable<R>)
        tables.computeIfAbsent(kind.kind(), name -> new KindTable<>(kind, keptChanges));
  }
}
