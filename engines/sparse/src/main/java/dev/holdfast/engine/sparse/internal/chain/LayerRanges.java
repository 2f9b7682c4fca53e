package dev.holdfast.engine.sparse.internal.chain;

import java.util.concurrent.locks.StampedLock;

/**
 * Excludes coalescing and client requests from the same range at the same time. The volume is cut
 * into 64 KiB pieces that share 256 locks; a caller takes its locks in ascending order.
 */
final class LayerRanges {
  private static final int SHIFT = 16;
  private static final int COUNT = 256;
  private static final int MASK = COUNT - 1;

  private final StampedLock[] locks = new StampedLock[COUNT];

  LayerRanges() {
    for (int i = 0; i < COUNT; i++) {
      locks[i] = new StampedLock();
    }
  }

  void lock(long offset, long length, boolean exclusively) {
    each(offset, length, exclusively ? Step.WRITE : Step.READ);
  }

  void unlock(long offset, long length, boolean exclusively) {
    each(offset, length, exclusively ? Step.UNLOCK_WRITE : Step.UNLOCK_READ);
  }

  private enum Step {
    READ,
    WRITE,
    UNLOCK_READ,
    UNLOCK_WRITE
  }

  private void each(long offset, long length, Step step) {
    if (length == 0) {
      return;
    }
    long first = offset >> SHIFT;
    long last = (offset + length - 1) >> SHIFT;
    if (last - first >= MASK) {
      range(0, MASK, step);
      return;
    }
    int from = (int) first & MASK;
    int to = (int) last & MASK;
    if (from <= to) {
      range(from, to, step);
    } else {
      range(0, to, step);
      range(from, MASK, step);
    }
  }

  private void range(int from, int to, Step step) {
    for (int i = from; i <= to; i++) {
      StampedLock lock = locks[i];
      switch (step) {
        case READ -> lock.readLock();
        case WRITE -> lock.writeLock();
        case UNLOCK_READ -> lock.tryUnlockRead();
        case UNLOCK_WRITE -> lock.tryUnlockWrite();
      }
    }
  }
}
