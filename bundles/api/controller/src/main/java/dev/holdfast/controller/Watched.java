package dev.holdfast.controller;

import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * A kind whose changes wake a reconciler of another kind, or that it only reads (names nothing).
 *
 * @param kind that is watched
 * @param names of the resources to reconcile when this one changed, which must be quick and pure;
 *     empty for every resource of the reconciler's kind that is known at that moment
 */
public record Watched<S extends Resource<S>>(
    ResourceKind<S> kind, Optional<Function<S, Collection<String>>> names) {

  /** A kind whose changes wake the resources that a changed one names. */
  public Watched(ResourceKind<S> kind, Function<S, Collection<String>> names) {
    this(kind, Optional.of(names));
  }

  /**
   * A kind any change of which wakes the reconciler for every resource of its own kind. For kinds
   * of which there are few and that change seldom, such as nodes and settings.
   */
  public static <S extends Resource<S>> Watched<S> wakingAll(ResourceKind<S> kind) {
    return new Watched<>(kind, Optional.empty());
  }
}
