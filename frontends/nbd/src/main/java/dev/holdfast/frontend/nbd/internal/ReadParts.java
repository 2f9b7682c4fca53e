package dev.holdfast.frontend.nbd.internal;

/**
 * Counts the parts of one large read, so that the last answer is marked as the last. Its lock is
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
