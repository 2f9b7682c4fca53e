package dev.holdfast.controller.runtime;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Executor with real threads: one timer thread, and a worker for each running task, because steps
 * may block on the store. After {@link #close()} new tasks are dropped.
 */
public final class ThreadedTaskExecutor implements TaskExecutor, AutoCloseable {
  private final ExecutorService workers;
  private final ScheduledThreadPoolExecutor timer;

  /** Starts the threads as daemons with a common prefix to their names. */
  public ThreadedTaskExecutor(String prefix) {
    workers = Executors.newCachedThreadPool(daemons(prefix + "-worker-"));
    timer = new ScheduledThreadPoolExecutor(1, daemons(prefix + "-timer-"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static ThreadFactory daemons(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void execute(Runnable task) {
    try {
      workers.execute(task);
    } catch (RejectedExecutionException e) {
      if (!workers.isShutdown()) {
        throw e;
      }
    }
  }

  @Override
  public Cancellable schedule(Runnable task, Duration delay) {
    try {
      ScheduledFuture<?> future =
          timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      if (!timer.isShutdown()) {
        throw e;
      }
      return () -> {};
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    workers.shutdown();
  }
}
