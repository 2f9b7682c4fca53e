package dev.holdfast.engine.sparse.simulation;

/** A count-down latch of simulated threads. */
public final class VirtualLatch {
  private long count;

  /** Creates a latch with a count. */
  public VirtualLatch(int count) {
    this.count = count;
  }

  /** Returns the remaining count. */
  public long getCount() {
    return count;
  }

  /** Decrements the count. */
  public void countDown() {
    Scheduler.enter(this);
    try {
      count--;
      Scheduler.wakeAll(this);
    } finally {
      Scheduler.exit(this);
    }
  }

  /** Waits until the count is zero. */
  public void await() {
    Scheduler.enter(this);
    try {
      while (count > 0) {
        Scheduler.await(this);
      }
    } finally {
      Scheduler.exit(this);
    }
  }
}
