package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;

/**
 * An export that a connection is tied to.
 *
 * @param device its volume
 * @param state texts that the connections of the export share
 */
record AttachedExport(BlockDevice device, SharedState state) {}
