package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Forwards every call to another store: the base of stores that trace, delay, cache or fail, which
 * override only the methods that they change. Thread-safe, like the store behind it.
 */
@ConsumerType
public abstract class ForwardingResourceStore implements ResourceStore {
  private final ResourceStore store;

  /**
   * Creates a store in front of another one.
   *
   * @param store receives the calls, not null
   */
  protected ForwardingResourceStore(ResourceStore store) {
    this.store = store;
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return store.get(kind, name);
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return store.list(kind, selector);
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return store.create(resource);
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return store.update(resource);
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return store.updateStatus(resource);
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return store.delete(kind, name, uid);
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    return store.watch(kind, resourceVersion, listener);
  }
}
