package dev.holdfast.store.records;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;

/** The store of this node, which may be absent while its bundle is replaced. Thread-safe. */
@FunctionalInterface
public interface StoreSource {
  /**
   * Returns the present store, never null.
   *
   * @throws StorageException UNREACHABLE while none is installed
   */
  ResourceStore get() throws StorageException;
}
