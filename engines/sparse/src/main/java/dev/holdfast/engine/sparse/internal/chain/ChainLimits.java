package dev.holdfast.engine.sparse.internal.chain;

import java.util.function.LongConsumer;

/**
 * How far the layers of a replica may grow and how fast they are coalesced.
 *
 * @param snapshots how many there may be, those that wait to be coalesced included
 * @param removed how many removed layers may stay because another replica has them too: to coalesce
 *     them takes the space that sharing them saves
 * @param pieceBytes how much is copied before others get their turn, a multiple of 4096
 * @param pace called with the bytes that were copied, after each piece; returns when the next may
 *     be
 */
record ChainLimits(int snapshots, int removed, int pieceBytes, LongConsumer pace) {
  /** As many snapshots as in Longhorn, 1 MiB at a time, 256 MiB per second. */
  static final ChainLimits DEFAULT = new ChainLimits(250, 64, 1 << 20, new RateLimit(256L << 20));
}
