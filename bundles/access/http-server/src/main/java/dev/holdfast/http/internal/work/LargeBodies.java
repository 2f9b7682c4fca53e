package dev.holdfast.http.internal.work;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Limits the number of large bodies in memory. Bodies beyond the limit wait in order until another
 * one was handled. Thread-safe.
 */
public final class LargeBodies {
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int free;

  /** Permits this number of bodies at the same time. */
  public LargeBodies(int most) {
    this.free = most;
  }

  /**
   * Runs {@code granted} on this thread if a slot is available, otherwise on the thread that
   * releases one.
   */
  public void acquire(Runnable granted) {
    synchronized (this) {
      if (free == 0) {
        waiting.add(granted);
        return;
      }
      free--;
    }
    granted.run();
  }

  /** Returns a place. */
  public void release() {
    Runnable next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        free++;
      }
    }
    if (next != null) {
      next.run();
    }
  }
}
