package dev.holdfast.store.runtime;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/** The changes that a store keeps. For any number of threads. */
public interface ChangeSource {
  /**
   * Reads changes of one kind that are durable.
   *
   * @param kind of the resources
   * @param version after which the changes came
   * @param limit of the changes returned
   * @return the first changes after the version, in order, without gap; empty when there is none
   * @throws StorageException EXPIRED when a change after that version is no longer kept; INVALID
   *     when the version is greater than any that the store has given; IO, UNREACHABLE
   */
  <R extends Resource<R>> List<Change<R>> changesAfter(
      ResourceKind<R> kind, long version, int limit) throws StorageException;
}
