package dev.holdfast.store.runtime;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/** The changes that a store keeps. Thread-safe. */
public interface ChangeSource {
  /**
   * Reads durable changes of one kind.
   *
   * @param kind kind of the resources
   * @param version only later changes are returned
   * @param limit maximum number of changes
   * @return the first changes after the version, in order and without gaps; empty when none follow
   * @throws StorageException EXPIRED when a change after that version is no longer kept; INVALID
   *     when the version is greater than any that the store assigned; IO, UNREACHABLE
   */
  <R extends Resource<R>> List<Change<R>> changesAfter(
      ResourceKind<R> kind, long version, int limit) throws StorageException;
}
