package dev.holdfast.datapath;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;

/** The store of the cluster. Its bundle can be replaced, so callers get it for each access. */
@FunctionalInterface
public interface CurrentStore {
  /**
   * Returns the store that is installed now.
   *
   * @throws StorageException UNREACHABLE while none is installed
   */
  ResourceStore get() throws StorageException;
}
