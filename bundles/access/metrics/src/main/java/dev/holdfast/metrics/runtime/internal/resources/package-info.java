/** Series of the resources in the store, and of this node. */
package dev.holdfast.metrics.runtime.internal.resources;
