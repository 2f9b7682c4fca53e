package dev.holdfast.engine.spdk.simulator.internal.raid;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * Runs rebuilds window by window, and lets a test hold them, because only a held rebuild shows its
 * progress reliably. Thread-safe.
 */
public final class RebuildPace {
  private final Executor executor;
  private final Queue<BooleanSupplier> held = new ArrayDeque<>();
  private boolean holds;
  private int running;

  /** Creates a pace whose rebuilds run in an executor. */
  public RebuildPace(Executor executor) {
    this.executor = executor;
  }

  /** Runs a rebuild that copies one window per call until it returns false. */
  void start(BooleanSupplier rebuild) {
    synchronized (this) {
      if (holds) {
        held.add(rebuild);
        return;
      }
      running++;
    }
    executor.execute(() -> run(rebuild));
  }

  private void run(BooleanSupplier rebuild) {
    boolean more = true;
    while (more) {
      more = rebuild.getAsBoolean();
    }
    synchronized (this) {
      running--;
      notifyAll();
    }
  }

  /** Keeps rebuilds that start from now on at their beginning. */
  public synchronized void hold() {
    holds = true;
  }

  /** Continues rebuilds that were held, and waits until all have ended. */
  public void release() throws InterruptedException {
    synchronized (this) {
      holds = false;
    }
    for (BooleanSupplier rebuild = poll(); rebuild != null; rebuild = poll()) {
      start(rebuild);
    }
    synchronized (this) {
      while (running > 0) {
        wait();
      }
    }
  }

  private synchronized BooleanSupplier poll() {
    return held.poll();
  }
}
