package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import java.util.concurrent.Executor;

/**
 * Keeps overlapping requests apart when one of them changes something: several members would order
 * them differently. A request that may not run yet waits in the queue, not on a thread; it runs
 * when the last of those that came before it and overlap it has ended. The requests' objects are
 * pooled here, so that a request allocates nothing.
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

    /** Called once it may run, on the executor's thread, if it had to wait. */
    abstract void released();
  }

  private final Executor executor;
  private Entry first;
  private Entry last;

  RangeQueue(Executor executor) {
    this.executor = executor;
  }

  /** Queues a request; returns whether it may run at once, else it is released later. */
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

  /** The request has ended; releases those that waited for it alone. */
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
