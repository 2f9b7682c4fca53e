package dev.holdfast.frontend.nbd.internal;

/**
 * Counts the parts of one large read, so that the last reply is marked as the last. The lock is
 * held while a part is counted and sent.
 */
final class ReadParts {
  private int remaining;

  ReadParts(int count) {
    this.remaining = count;
  }

  /** Returns whether this was the last part; the caller holds the lock. */
  boolean countDown() {
    remaining--;
    return remaining == 0;
  }
}
