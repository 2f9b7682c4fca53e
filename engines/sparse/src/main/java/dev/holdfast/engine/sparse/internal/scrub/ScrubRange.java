package dev.holdfast.engine.sparse.internal.scrub;

/**
 * A part of a snapshot's own layer.
 *
 * @param image the layer's file
 * @param lowest whether neither a layer nor a base is below it; then zeroes and holes are the same
 * @param offset first byte, a multiple of the block size
 * @param length in bytes
 */
record ScrubRange(String image, boolean lowest, long offset, long length) {}
