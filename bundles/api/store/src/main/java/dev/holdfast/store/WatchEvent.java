package dev.holdfast.store;

import dev.holdfast.resource.Resource;

/**
 * One change of a resource.
 *
 * @param type what happened
 * @param resource as it is after the change; after a deletion as it last was, with the
 *     resourceVersion of the deletion
 */
public record WatchEvent<R extends Resource<R>>(Type type, R resource) {
  /** The kinds of changes. */
  public enum Type {
    /** It was created. */
    ADDED,
    /** It was changed. */
    MODIFIED,
    /** It was removed. */
    DELETED
  }
}
