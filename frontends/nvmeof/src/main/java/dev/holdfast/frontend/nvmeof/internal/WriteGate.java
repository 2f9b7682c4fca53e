package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.block.IoThread;
import java.util.concurrent.Semaphore;

/**
 * Keeps writes to a volume apart from comparing and writing as one. Writes pass together; comparing
 * and writing passes alone. What passed may leave on any thread.
 */
final class WriteGate {
  private static final int ALL = Integer.MAX_VALUE;

  private final Semaphore places = new Semaphore(ALL, true);

  void enter() {
    acquire(1);
  }

  void leave() {
    places.release();
  }

  void enterAlone() {
    acquire(ALL);
  }

  void leaveAlone() {
    places.release(ALL);
  }

  private void acquire(int count) {
    if (places.hasQueuedThreads() || !places.tryAcquire(count)) {
      // What this thread has put off may be what the others inside wait for.
      IoThread.settle();
      places.acquireUninterruptibly(count);
    }
  }
}
