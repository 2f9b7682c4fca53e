package dev.holdfast.controller;

import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * A kind whose changes trigger a reconciler of another kind. A mapping that returns no names
 * declares a kind that is only read.
 *
 * @param kind that is watched
 * @param names returns the names of the resources to reconcile after a change, and must be fast and
 *     pure; empty to reconcile all known resources of the reconciler's kind
 */
public record Watched<S extends Resource<S>>(
    ResourceKind<S> kind, Optional<Function<S, Collection<String>>> names) {

  /** Creates a watch that triggers the resources which the function returns. */
  public Watched(ResourceKind<S> kind, Function<S, Collection<String>> names) {
    this(kind, Optional.of(names));
  }

  /**
   * Returns a watch that triggers all resources of the reconciler's kind. Intended for kinds with
   * few resources that rarely change, such as nodes and settings.
   */
  public static <S extends Resource<S>> Watched<S> wakingAll(ResourceKind<S> kind) {
    return new Watched<>(kind, Optional.empty());
  }
}
