package dev.holdfast.reservation;

import dev.holdfast.block.IoThread;
import java.util.concurrent.Semaphore;

/**
 * Excludes writes to a volume during operations that need exclusive access: an atomic compare and
 * write, and the wait for the writes of preempted clients. Writes pass concurrently; an exclusive
 * operation passes alone. The leave call may come from any thread. Thread-safe.
 */
public final class WriteGate {
  private static final int ALL = Integer.MAX_VALUE;

  private final Semaphore places = new Semaphore(ALL, true);

  /** Creates an empty gate. */
  public WriteGate() {}

  /** Enters for a write. Waits while an exclusive operation is inside or waits. */
  public void enter() {
    acquire(1);
  }

  /** Leaves after a write at the device has completed. */
  public void leave() {
    places.release();
  }

  /** Enters for an exclusive operation: waits until the gate is empty, and blocks others. */
  public void enterAlone() {
    acquire(ALL);
  }

  /** Leaves after an exclusive operation. */
  public void leaveAlone() {
    places.release(ALL);
  }

  private void acquire(int count) {
    if (places.hasQueuedThreads() || !places.tryAcquire(count)) {
      // The writes inside may wait for actions that this thread has deferred.
      IoThread.settle();
      places.acquireUninterruptibly(count);
    }
  }
}
