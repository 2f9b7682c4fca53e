package dev.holdfast.controller.runtime;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The store for reconcilers. Reads go directly to the store. The informers show the results of
 * writes at once. Writes of one name are serialized.
 */
final class CachedStore extends ForwardingResourceStore {
  private static final int LOCKS = 64;

  private final Informers informers;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  CachedStore(ResourceStore store, Informers informers) {
    super(store);
    this.informers = informers;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /** A call of the store that changes a resource. */
  private interface Change<T> {
    T apply() throws StorageException;
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return write(resource, "", () -> super.create(resource));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return write(resource, resource.metadata().resourceVersion(), () -> super.update(resource));
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return write(
        resource, resource.metadata().resourceVersion(), () -> super.updateStatus(resource));
  }

  private <R extends Resource<R>> R write(R resource, String base, Change<R> change)
      throws StorageException {
    Optional<Informer<R>> informer = informers.find(resource.resourceKind());
    if (informer.isEmpty()) {
      return change.apply();
    }
    Mirror<R> mirror = informer.get().mirror();
    R result;
    ReentrantLock lock = lock(resource.name());
    lock.lock();
    try {
      Mirror.Write write = mirror.beginWrite(resource.name(), base);
      result = tracked(mirror, write, change);
      if (result.isBeingDeleted() && result.metadata().finalizers().isEmpty()) {
        mirror.removed(write, result.metadata().uid());
      } else {
        mirror.wrote(write, result);
      }
    } finally {
      lock.unlock();
    }
    informer.get().touched(result);
    return result;
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    Optional<Informer<R>> informer = informers.find(kind);
    Optional<R> before = informer.flatMap(i -> i.mirror().get(name));
    if (before.isEmpty()) {
      return super.delete(kind, name, uid);
    }
    Mirror<R> mirror = informer.get().mirror();
    String known = uid.isEmpty() ? before.get().metadata().uid() : uid;
    Optional<R> result;
    ReentrantLock lock = lock(name);
    lock.lock();
    try {
      Mirror.Write write = mirror.beginWrite(name, before.get().metadata().resourceVersion());
      result = tracked(mirror, write, () -> super.delete(kind, name, uid));
      if (result.isPresent()) {
        mirror.wrote(write, result.get());
      } else {
        mirror.removed(write, known);
      }
    } finally {
      lock.unlock();
    }
    informer.get().touched(result.orElse(before.get()));
    return result;
  }

  private static <R extends Resource<R>, T> T tracked(
      Mirror<R> mirror, Mirror.Write write, Change<T> change) throws StorageException {
    boolean done = false;
    try {
      T result = change.apply();
      done = true;
      return result;
    } finally {
      if (!done) {
        mirror.failed(write);
      }
    }
  }

  private ReentrantLock lock(String name) {
    return locks[Math.floorMod(name.hashCode(), LOCKS)];
  }
}
