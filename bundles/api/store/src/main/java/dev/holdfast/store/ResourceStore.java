package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Keeps resources as the Kubernetes API does: every write is validated, durable when the call
 * returns, and given a new resourceVersion; a writer that lost to a concurrent one receives
 * CONFLICT.
 *
 * <p>Updates of one resource are linearizable. A call that ends with TIMEOUT or UNREACHABLE may or
 * may not have taken effect; every other failure means that it has not. All methods block and may
 * be called from any thread.
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
   * @return what is stored now, never null
   * @throws StorageException ALREADY_EXISTS; INVALID (as {@link
   *     dev.holdfast.resource.InvalidResourceException}); UNREACHABLE, TIMEOUT, IO, NO_SPACE
   */
  <R extends Resource<R>> R create(R resource) throws StorageException;

  /**
   * Replaces metadata and spec; status, uid, creation and deletion timestamps stay as stored. A
   * changed spec raises the generation. When the resource is being deleted and its last finalizer
   * is gone, it is removed. Without any change the resourceVersion stays.
   *
   * @param resource with the resourceVersion that it was read with
   * @return what is stored now, never null
   * @throws StorageException NOT_FOUND; CONFLICT when the resourceVersion or uid is another;
   *     INVALID; UNREACHABLE, TIMEOUT, IO, NO_SPACE
   */
  <R extends Resource<R>> R update(R resource) throws StorageException;

  /**
   * Replaces the status only.
   *
   * @param resource with the resourceVersion that it was read with
   * @return what is stored now, never null
   * @throws StorageException as {@link #update}
   */
  <R extends Resource<R>> R updateStatus(R resource) throws StorageException;

  /**
   * Asks for deletion: removes the resource when it has no finalizers, else sets its
   * deletionTimestamp (once) and leaves the rest to their owners.
   *
   * @param uid only the resource with this uid, empty for any
   * @return what is stored now, empty when it was removed
   * @throws StorageException NOT_FOUND; CONFLICT when the uid is another; UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException;

  /**
   * Tells of every change of a kind after a version, in order, without gap or repetition, until
   * closed. The listener is called on one thread at a time.
   *
   * @param resourceVersion of a list or an event
   * @return the watch, never null; close it when done
   * @throws StorageException EXPIRED when changes since that version are no longer kept: list
   *     again; INVALID when it is not a version of this store; UNREACHABLE, TIMEOUT, IO
   */
  <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException;
}
