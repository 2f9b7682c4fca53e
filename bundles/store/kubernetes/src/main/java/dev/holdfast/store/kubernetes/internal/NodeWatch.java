package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.StorageException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a check of nodes periodically until it is closed. Logs a repeated failure once. */
final class NodeWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
  private static final long IDLE_SECONDS = 10;
  private static final long BUSY_SECONDS = 1;

  private final String purpose;
  private final Task task;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private NodeWatch(String purpose, Task task) {
    this.purpose = purpose;
    this.task = task;
  }

  /** One periodic check. */
  @FunctionalInterface
  interface Task {
    /** Runs the check. Returns whether it changed an object, so that more changes may be due. */
    boolean run() throws StorageException;
  }

  /**
   * Starts the periodic checks.
   *
   * @param name name of the thread
   * @param purpose what is impossible while the task fails, for the log
   */
  static NodeWatch start(String name, String purpose, Task task) {
    NodeWatch watch = new NodeWatch(purpose, task);
    Thread thread = new Thread(watch::run, "store-kubernetes-" + name);
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  private void run() {
    String told = "";
    boolean busy = false;
    try {
      while (!stopped.await(busy ? BUSY_SECONDS : IDLE_SECONDS, TimeUnit.SECONDS)) {
        try {
          busy = task.run();
          told = "";
        } catch (StorageException e) {
          busy = false;
          if (!told.equals(e.getMessage())) {
            told = e.getMessage();
            LOG.warn("cannot {}: {}", purpose, told);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Starts no further check; a running one ends with its response. */
  @Override
  public void close() {
    stopped.countDown();
  }
}
