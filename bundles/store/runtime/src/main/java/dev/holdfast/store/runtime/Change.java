package dev.holdfast.store.runtime;

import dev.holdfast.resource.Resource;
import dev.holdfast.store.WatchEvent;

/**
 * A change that a store keeps for watchers.
 *
 * @param version given by the store
 * @param event for watchers
 */
public record Change<R extends Resource<R>>(long version, WatchEvent<R> event) {}
