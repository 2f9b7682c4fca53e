package dev.holdfast.store.records;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;

/** The store of this node, which may be absent while its bundle is replaced. Thread-safe. */
@FunctionalInterface
public interface StoreSource {
  /**
   * Returns the store that is present now, never null.
   *
   * @throws StorageException UNREACHABLE while there is none
   */
  ResourceStore get() throws StorageException;
}
