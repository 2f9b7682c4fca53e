package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Changes a resource by reading, editing and writing it, repeatedly after concurrent changes. */
public final class StoreEditor {
  /**
   * Limit of conflicts on one object, beyond which another client must be writing it continuously.
   */
  private static final int MOST_ATTEMPTS = 50;

  private final ResourceStore store;

  /** Edits resources of a store. */
  public StoreEditor(ResourceStore store) {
    this.store = store;
  }

  /** An edit that may throw instead of changing the resource. */
  public interface Edit<R> {
    /** Returns the new version of the resource. */
    R apply(R current) throws StorageException;
  }

  /**
   * Returns a resource.
   *
   * @throws StorageException NOT_FOUND; for a retained deleted volume the message has the remedy
   */
  public <R extends Resource<R>> R require(ResourceKind<R> kind, String name)
      throws StorageException {
    Optional<R> found = store.get(kind, name);
    if (found.isEmpty()) {
      throw kind.equals(Volume.KIND) && new DeletedVolumes(store).isKept(name)
          ? deleted(name)
          : missing(kind, name);
    }
    return found.get();
  }

  private static StorageException deleted(String volume) {
    return new StorageException(
        ErrorCode.NOT_FOUND,
        "volume "
            + volume
            + " was deleted, and its content is kept: take the deletion back with 'holdfast volume"
            + " undelete "
            + volume
            + "'");
  }

  static StorageException missing(ResourceKind<?> kind, String name) {
    String noun = kind.singular();
    return new StorageException(
        ErrorCode.NOT_FOUND,
        noun + " " + name + " does not exist: see 'holdfast " + noun + " list'");
  }

  /** Applies an edit. An edit that returns its argument writes nothing. */
  public <R extends Resource<R>> R edit(ResourceKind<R> kind, String name, Edit<R> edit)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      R current = require(kind, name);
      R changed = edit.apply(current);
      if (changed.equals(current)) {
        return current;
      }
      try {
        return store.update(changed);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Applies an edit to a resource that may not exist yet. If another writer creates or deletes the
   * resource concurrently, the edit is applied again to the new state.
   *
   * @param absent argument of the edit while the resource does not exist
   * @return the stored resource
   */
  public <R extends Resource<R>> R createOrEdit(R absent, Edit<R> edit) throws StorageException {
    ResourceKind<R> kind = absent.resourceKind();
    for (int attempt = 1; ; attempt++) {
      Optional<R> present = store.get(kind, absent.name());
      try {
        return present.isEmpty()
            ? store.create(edit.apply(absent))
            : edit(kind, absent.name(), edit);
      } catch (StorageException e) {
        boolean otherWriter =
            e.code() == (present.isEmpty() ? ErrorCode.ALREADY_EXISTS : ErrorCode.NOT_FOUND);
        if (!otherWriter || attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
