package dev.holdfast.store.remote;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import java.util.Optional;

/** A store whose calls all fail with a given error. */
final class FailingStore implements ResourceStore {
  volatile StorageException failure =
      new StorageException(ErrorCode.UNREACHABLE, "this store was not told how to fail");

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    throw failure;
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    throw failure;
  }
}
