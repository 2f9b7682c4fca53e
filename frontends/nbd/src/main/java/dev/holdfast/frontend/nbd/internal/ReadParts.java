package dev.holdfast.frontend.nbd.internal;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the parts of one large read, so that the last to be answered can say so. */
final class ReadParts {
  private final AtomicInteger remaining;

  ReadParts(int count) {
    this.remaining = new AtomicInteger(count);
  }

  /** Returns whether this was the last part. */
  boolean countDown() {
    return remaining.decrementAndGet() == 0;
  }
}
