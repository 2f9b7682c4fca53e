/** Starts of a volume, and changes of its structure. */
package dev.holdfast.engine.sparse.internal.volume;
