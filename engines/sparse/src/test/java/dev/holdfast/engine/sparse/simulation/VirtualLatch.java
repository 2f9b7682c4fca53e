package dev.holdfast.engine.sparse.simulation;

/** A count-down latch of simulated threads. */
public final class VirtualLatch {
  private long count;

  /** Creates one. */
  public VirtualLatch(int count) {
    this.count = count;
  }

  /** Returns what is left. */
  public long getCount() {
    return count;
  }

  /** One less. */
  public void countDown() {
    Scheduler.enter(this);
    try {
      count--;
      Scheduler.wakeAll(this);
    } finally {
      Scheduler.exit(this);
    }
  }

  /** Waits until nothing is left. */
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
