package dev.holdfast.backuptarget;

import dev.holdfast.error.StorageException;

/** Receives the objects of a listing, one at a time. */
@FunctionalInterface
public interface ObjectVisitor {
  /**
   * Receives an object.
   *
   * @param found the object, never null
   * @throws StorageException to end the listing, which then fails with this exception
   */
  void object(StoredObject found) throws StorageException;
}
