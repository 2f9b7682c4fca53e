/** Rebuilds a replica that lacks writes of its volume. */
package dev.holdfast.engine.sparse.internal.rebuild;
