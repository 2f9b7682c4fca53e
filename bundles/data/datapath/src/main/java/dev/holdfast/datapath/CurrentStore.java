package dev.holdfast.datapath;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;

/** The store of the cluster. Its bundle can be replaced, so that users ask for each access. */
@FunctionalInterface
public interface CurrentStore {
  /**
   * Returns the store that is installed now.
   *
   * @throws StorageException UNREACHABLE while none is
   */
  ResourceStore get() throws StorageException;
}
