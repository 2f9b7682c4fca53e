package dev.holdfast.store.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A planted fault: serves reads from a cache and reads the store only every third time.
 * Thread-safe.
 */
public final class CachingStore extends ForwardingResourceStore {
  private static final int EVERY = 3;

  private final Map<String, Resource<?>> cache = new ConcurrentHashMap<>();
  private final AtomicInteger reads = new AtomicInteger();

  /** Creates a cache over a store. */
  public CachingStore(ResourceStore store) {
    super(store);
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    Resource<?> cached = cache.get(kind.plural() + "/" + name);
    if (cached != null && reads.incrementAndGet() % EVERY != 0) {
      return Optional.of(kind.type().cast(cached));
    }
    Optional<R> read = super.get(kind, name);
    read.ifPresent(resource -> cache.put(kind.plural() + "/" + name, resource));
    return read;
  }
}
