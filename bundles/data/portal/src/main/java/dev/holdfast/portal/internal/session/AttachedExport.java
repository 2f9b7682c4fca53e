package dev.holdfast.portal.internal.session;

import dev.holdfast.block.BlockDevice;

/**
 * The export that a connection uses.
 *
 * @param device device of its volume
 * @param state texts that the connections of the export share
 */
public record AttachedExport(BlockDevice device, SharedState state) {
  /** Returns the same export with another device. */
  public AttachedExport with(BlockDevice other) {
    return new AttachedExport(other, state);
  }
}
