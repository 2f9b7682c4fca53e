package dev.holdfast.store;

import dev.holdfast.resource.Resource;

/**
 * One change of a resource.
 *
 * @param type kind of the change
 * @param resource the resource after the change; for a deletion its last state with the
 *     resourceVersion of the deletion
 */
public record WatchEvent<R extends Resource<R>>(Type type, R resource) {
  /** The kinds of changes. */
  public enum Type {
    /** The resource was created. */
    ADDED,
    /** The resource was changed. */
    MODIFIED,
    /** The resource was removed. */
    DELETED
  }
}
