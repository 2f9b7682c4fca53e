package dev.holdfast.store.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.store.WatchEvent;
import java.util.Optional;

/**
 * Effect of a write on a resource.
 *
 * @param change for watchers; empty when nothing changes
 * @param resource as it is afterwards; when there is a change it still needs a new resourceVersion
 */
public record Transition<R extends Resource<R>>(Optional<WatchEvent.Type> change, R resource) {

  static <R extends Resource<R>> Transition<R> to(WatchEvent.Type change, R resource) {
    return new Transition<>(Optional.of(change), resource);
  }

  static <R extends Resource<R>> Transition<R> none(R stored) {
    return new Transition<>(Optional.empty(), stored);
  }

  /** Returns the resource, empty when this removes it. */
  public Optional<R> remaining() {
    return change.equals(Optional.of(WatchEvent.Type.DELETED))
        ? Optional.empty()
        : Optional.of(resource);
  }

  /** Returns this transition with the version that the store gave it. */
  public Transition<R> withVersion(long version) {
    return new Transition<>(
        change,
        resource.withMetadata(resource.metadata().withResourceVersion(Long.toString(version))));
  }
}
