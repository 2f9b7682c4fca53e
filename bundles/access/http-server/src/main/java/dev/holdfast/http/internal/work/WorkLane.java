package dev.holdfast.http.internal.work;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks on shared threads in order, with a limited number of concurrent tasks. Thread-safe.
 */
public final class WorkLane {
  private static final Logger LOG = LoggerFactory.getLogger(WorkLane.class);

  private final Executor threads;
  private final int most;
  private final int mostWaiting;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int running;

  /**
   * Creates a lane.
   *
   * @param threads runs each task on its own thread
   * @param most limit of concurrent tasks
   * @param mostWaiting limit of waiting tasks
   */
  public WorkLane(Executor threads, int most, int mostWaiting) {
    this.threads = threads;
    this.most = most;
    this.mostWaiting = mostWaiting;
  }

  /** Accepts a task; returns false if too many wait, or a thread cannot be started. */
  public boolean submit(Runnable task) {
    synchronized (this) {
      if (running >= most) {
        return waiting.size() < mostWaiting && waiting.add(task);
      }
      running++;
    }
    try {
      threads.execute(() -> run(task));
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      LOG.warn("could not start a thread for a request: {}", e.toString());
      release();
      return false;
    }
  }

  private void run(Runnable first) {
    Runnable task = first;
    while (task != null) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.error("handling a request failed", e);
      }
      task = next();
    }
  }

  private synchronized Runnable next() {
    Runnable task = waiting.poll();
    if (task == null) {
      running--;
    }
    return task;
  }

  /** Releases the slot of a task that could not start; waiting tasks need another one. */
  private void release() {
    Runnable task = next();
    if (task != null) {
      try {
        threads.execute(() -> run(task));
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        // Without threads every task would fail; this one runs here, so that its request is
        // answered.
        run(task);
      }
    }
  }
}
