package dev.holdfast.datapath.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Runs tasks one after another, in order, on another executor's threads. A task that fails, even
 * for lack of memory, does not prevent later ones. Log lines of the tasks name the volume.
 */
final class SerialExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  private static final String VOLUME = "volume";

  private final String volume;
  private final Executor threads;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  SerialExecutor(String volume, Executor threads) {
    this.volume = volume;
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    threads.execute(this::runAll);
  }

  private void runAll() {
    MDC.put(VOLUME, volume);
    try {
      runTasks();
    } finally {
      MDC.remove(VOLUME);
    }
  }

  private void runTasks() {
    while (true) {
      Runnable next;
      synchronized (tasks) {
        next = tasks.poll();
        if (next == null) {
          running = false;
          return;
        }
      }
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        LOG.error("a task of a data path failed", e);
      }
    }
  }
}
