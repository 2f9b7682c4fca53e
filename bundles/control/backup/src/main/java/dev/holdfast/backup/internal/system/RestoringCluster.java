package dev.holdfast.backup.internal.system;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadObjects;

/**
 * The cluster in which items are restored.
 *
 * @param store of its resources
 * @param kinds that are installed
 * @param objects of its orchestrator
 */
record RestoringCluster(ResourceStore store, KindCatalogue kinds, WorkloadObjects objects) {}
