package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Changes one resource by reading, editing and writing it, again after a concurrent change. */
public final class StoreEditor {
  /** More collisions than this on one object mean that something writes it without end. */
  private static final int MOST_ATTEMPTS = 50;

  private final ResourceStore store;

  /** Edits the resources of a store. */
  public StoreEditor(ResourceStore store) {
    this.store = store;
  }

  /** An edit that may refuse what it finds. */
  public interface Edit<R> {
    /** Returns what shall be stored instead. */
    R apply(R current) throws StorageException;
  }

  /**
   * Returns a resource.
   *
   * @throws StorageException NOT_FOUND; for a volume whose content is kept, the message has the
   *     remedy
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

  /** Applies an edit; an edit that returns what it was given writes nothing. */
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
   * Applies an edit to a resource that may not exist yet. Another writer may create or delete it at
   * any time: then the edit is applied again to what exists then.
   *
   * @param absent what the edit is given while the resource does not exist
   * @return the resource as it is stored
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
