package dev.holdfast.engine.sparse.internal.chain;

/**
 * Layers that were given to a replica that is being made.
 *
 * @param image the file of the topmost one, in the new replica
 * @param sizeBytes of the snapshot
 */
public record SharedSnapshot(String image, long sizeBytes) {}
