package dev.holdfast.store.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.store.WatchEvent;

/**
 * A change that a store keeps for watches.
 *
 * @param version version that the store assigned
 * @param event event for watches
 */
public record Change<R extends Resource<R>>(long version, WatchEvent<R> event) {}
