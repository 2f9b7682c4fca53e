package dev.holdfast.apiserver.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;

/** Knows how many watches of clients are open; those of the rights do not count. */
public final class CountingStore extends ForwardingResourceStore {
  private int open;

  public CountingStore(ResourceStore store) {
    super(store);
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    Watch watch = super.watch(kind, resourceVersion, listener);
    if (kind.plural().startsWith("access")) {
      return watch;
    }
    add(1);
    return () -> {
      watch.close();
      add(-1);
    };
  }

  private synchronized void add(int count) {
    open += count;
    notifyAll();
  }

  public synchronized void awaitOpen() throws InterruptedException {
    while (open == 0) {
      wait();
    }
  }

  public synchronized void awaitClosed() throws InterruptedException {
    while (open > 0) {
      wait();
    }
  }
}
