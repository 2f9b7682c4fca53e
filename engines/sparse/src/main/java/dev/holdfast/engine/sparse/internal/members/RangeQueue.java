package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import java.util.concurrent.Executor;

/**
 * Orders overlapping requests when one of them changes data, because several members would order
 * them differently. A request that must wait is queued and does not occupy a thread. It runs when
 * the last overlapping request before it has ended. Request objects are pooled here, so that a
 * request allocates no memory.
 *
 * <p>Requests count as overlapping when they touch the same 4 KiB block, because a partial change
 * of a block above snapshots copies the whole block up.
 */
final class RangeQueue {
  private static final int SHIFT = BlockIndex.BLOCK_SHIFT;

  /** A request's place in the queue. */
  abstract static class Entry {
    private long firstBlock;
    private long lastBlock;
    private boolean exclusive;
    private int blockers;
    private Entry earlier;
    private Entry later;

    /** Called on the executor's thread when the request may run, if it had to wait. */
    abstract void released();
  }

  private final Executor executor;
  private Entry first;
  private Entry last;

  RangeQueue(Executor executor) {
    this.executor = executor;
  }

  /** Queues a request. Returns whether it may run immediately; else it is released later. */
  synchronized boolean enter(Entry entry, long offset, long length, boolean exclusive) {
    entry.firstBlock = offset >> SHIFT;
    entry.lastBlock = (offset + length - 1) >> SHIFT;
    entry.exclusive = exclusive;
    entry.blockers = 0;
    for (Entry other = first; other != null; other = other.later) {
      if (conflict(entry, other)) {
        entry.blockers++;
      }
    }
    entry.earlier = last;
    entry.later = null;
    if (last == null) {
      first = entry;
    } else {
      last.later = entry;
    }
    last = entry;
    return entry.blockers == 0;
  }

  /** Removes a request that has ended, and releases requests that waited only for it. */
  synchronized void leave(Entry entry) {
    if (entry.earlier == null) {
      first = entry.later;
    } else {
      entry.earlier.later = entry.later;
    }
    if (entry.later == null) {
      last = entry.earlier;
    } else {
      entry.later.earlier = entry.earlier;
    }
    for (Entry other = entry.later; other != null; other = other.later) {
      if (conflict(entry, other) && --other.blockers == 0) {
        executor.execute(other::released);
      }
    }
    entry.earlier = null;
    entry.later = null;
  }

  private static boolean conflict(Entry one, Entry other) {
    return (one.exclusive || other.exclusive)
        && one.firstBlock <= other.lastBlock
        && other.firstBlock <= one.lastBlock;
  }
}
