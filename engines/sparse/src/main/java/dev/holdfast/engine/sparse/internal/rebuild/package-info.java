/** Brings a replica that lacks writes back to its volume. */
package dev.holdfast.engine.sparse.internal.rebuild;
