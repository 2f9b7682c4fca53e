package dev.holdfast.controller;

import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.Collection;
import java.util.function.Function;

/**
 * A kind whose changes wake a reconciler of another kind.
 *
 * @param kind that is watched
 * @param names of the resources to reconcile when this one changed; must be quick and pure
 */
public record Watched<S extends Resource<S>>(
    ResourceKind<S> kind, Function<S, Collection<String>> names) {}
