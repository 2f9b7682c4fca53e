package dev.holdfast.engine.sparse.internal.chain;

import java.io.IOException;
import java.util.concurrent.locks.StampedLock;

/**
 * Admits requests concurrently; admits a change of the layers only while no request is in flight. A
 * request takes one lock that few other threads use.
 */
final class LayerGuard {
  /** Action during which no request is in flight. */
  @FunctionalInterface
  public interface Change {
    void run() throws IOException;
  }

  private static final int STRIPES = 16;

  private final StampedLock[] stripes = new StampedLock[STRIPES];

  LayerGuard() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new StampedLock();
    }
  }

  /** Begins a request; returns the argument for {@link #leave}. */
  int enter() {
    int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
    stripes[stripe].readLock();
    return stripe;
  }

  /** Begins a request if no change of the layers runs or waits; else returns a negative number. */
  int tryEnter() {
    int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
    return stripes[stripe].tryReadLock() == 0 ? -1 : stripe;
  }

  void leave(int stripe) {
    stripes[stripe].tryUnlockRead();
  }

  /** Waits for the requests in flight and runs the change alone. */
  void alone(Change change) throws IOException {
    for (StampedLock stripe : stripes) {
      stripe.writeLock();
    }
    try {
      change.run();
    } finally {
      for (StampedLock stripe : stripes) {
        stripe.tryUnlockWrite();
      }
    }
  }
}
