package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Stores resources with the semantics of the Kubernetes API. Every write is validated, durable when
 * the call returns, and assigned a new resourceVersion. The loser of two concurrent writes receives
 * CONFLICT.
 *
 * <p>Updates of one resource are linearizable. A call that ends with TIMEOUT or UNREACHABLE may
 * have taken effect; any other failure means that it has not. All methods block and may be called
 * from any thread.
 */
@ConsumerType
public interface ResourceStore {

  /**
   * Reads one resource, never from a cache.
   *
   * @return the resource, empty when it does not exist
   * @throws StorageException UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException;

  /**
   * Reads all resources of a kind that a selector matches, consistently.
   *
   * @return the resources by ascending name, and the version to watch from, never null
   * @throws StorageException UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException;

  /**
   * Creates a resource. The store sets uid, resourceVersion, generation 1 and creationTimestamp,
   * and keeps the given status.
   *
   * @return the stored resource, never null
   * @throws StorageException ALREADY_EXISTS; INVALID (as {@link
   *     dev.holdfast.resource.InvalidResourceException}); UNREACHABLE, TIMEOUT, IO, NO_SPACE
   */
  <R extends Resource<R>> R create(R resource) throws StorageException;

  /**
   * Replaces metadata and spec; status, uid, creation and deletion timestamps stay as stored. A
   * changed spec raises the generation. A resource that is being deleted is removed with its last
   * finalizer. An update without changes keeps the resourceVersion.
   *
   * @param resource the resource with the resourceVersion of the read
   * @return the stored resource, never null
   * @throws StorageException NOT_FOUND; CONFLICT when the resourceVersion or uid differs; INVALID;
   *     UNREACHABLE, TIMEOUT, IO, NO_SPACE
   */
  <R extends Resource<R>> R update(R resource) throws StorageException;

  /**
   * Replaces the status only.
   *
   * @param resource the resource with the resourceVersion of the read
   * @return the stored resource, never null
   * @throws StorageException as {@link #update}
   */
  <R extends Resource<R>> R updateStatus(R resource) throws StorageException;

  /**
   * Requests deletion. Removes a resource without finalizers. Otherwise sets its deletionTimestamp
   * once, and the resource is removed with its last finalizer.
   *
   * @param uid only the resource with this uid, empty for any
   * @return the stored resource, empty if it was removed
   * @throws StorageException NOT_FOUND; CONFLICT when the uid differs; UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException;

  /**
   * Reports every change of a kind after a version, in order, without gaps or repetitions, until
   * the watch is closed. The listener is called on one thread at a time.
   *
   * @param resourceVersion of a list or an event
   * @return the watch, never null; the caller closes it
   * @throws StorageException EXPIRED when changes since that version were discarded: list again;
   *     INVALID when the version is not from this store; UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException;
}
