package dev.holdfast.engine.sparse.internal.chain;

/**
 * Layers that were shared with a new replica.
 *
 * @param image file of the topmost layer in the new replica
 * @param sizeBytes size of the snapshot in bytes
 */
public record SharedSnapshot(String image, long sizeBytes) {}
