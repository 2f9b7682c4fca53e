package dev.holdfast.reservation;

import dev.holdfast.block.IoThread;
import java.util.concurrent.Semaphore;

/**
 * Excludes writes to a volume during operations that need exclusive access: an atomic compare and
 * write, and the wait for the writes of preempted clients. Writes pass together, the other passes
 * alone. What passed may leave on any thread. Thread-safe.
 */
public final class WriteGate {
  private static final int ALL = Integer.MAX_VALUE;

  private final Semaphore places = new Semaphore(ALL, true);

  /** A gate that nothing has passed. */
  public WriteGate() {}

  /** Lets a write pass; waits while something is inside alone, or waits to be. */
  public void enter() {
    acquire(1);
  }

  /** A write that passed is no longer at the device. */
  public void leave() {
    places.release();
  }

  /** Waits until nothing is inside, and keeps everything out. */
  public void enterAlone() {
    acquire(ALL);
  }

  /** Lets others pass again. */
  public void leaveAlone() {
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
