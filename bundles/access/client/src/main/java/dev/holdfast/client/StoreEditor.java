package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ResourceStore;

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
   * @throws StorageException NOT_FOUND
   */
  public <R extends Resource<R>> R require(ResourceKind<R> kind, String name)
      throws StorageException {
    return store.get(kind, name).orElseThrow(() -> missing(kind, name));
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
}
