package dev.holdfast.engine.sparse.internal.chain;

import java.util.function.LongConsumer;

/**
 * Limits on the number of a replica's layers, and the speed of coalescing.
 *
 * @param snapshots maximum number of snapshots, including those that wait to be coalesced
 * @param removed maximum number of removed layers that may stay because another replica shares
 *     them: coalescing them takes the space that sharing saves
 * @param pieceBytes bytes copied before other requests get their turn, a multiple of 4096
 * @param pace called after each piece with the number of copied bytes; returns when the next piece
 *     may begin
 */
record ChainLimits(int snapshots, int removed, int pieceBytes, LongConsumer pace) {
  /** At most 250 snapshots, as in Longhorn; pieces of 1 MiB; 256 MiB per second. */
  static final ChainLimits DEFAULT = new ChainLimits(250, 64, 1 << 20, new RateLimit(256L << 20));
}
