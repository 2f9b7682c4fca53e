package dev.holdfast.upgrader.internal;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The single thread that runs all replacements in sequence. */
final class UpgradeThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeThread.class);
  private static final long LOOK_MILLIS = 100;
  private static final int PATIENCE_SECONDS = 5;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "holdfast-upgrade");
            created.setDaemon(true);
            return created;
          });

  /** A task of this thread. */
  interface Task {
    void run() throws Exception;
  }

  /** Runs a task after the earlier ones; ignores it after {@link #close}. */
  void run(Task task) {
    runAfter(Duration.ZERO, task);
  }

  /** Runs a task after a delay, then as {@link #run}. */
  void runAfter(Duration delay, Task task) {
    try {
      var unused = thread.schedule(() -> perform(task), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("nothing is replaced any more");
    }
  }

  private void perform(Task task) {
    try {
      task.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      tell(e);
    }
  }

  private void tell(Exception failure) {
    if (thread.isShutdown()) {
      LOG.debug("broken off: the platform stops", failure);
    } else {
      LOG.error("replacing bundles: {}", failure.getMessage(), failure);
    }
  }

  /** Blocks this thread until a condition holds. */
  void await(BooleanSupplier condition) throws UpgradeException {
    while (!condition.getAsBoolean()) {
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UpgradeException("interrupted: the platform stops", e);
      }
    }
  }

  /** Interrupts the running task. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("a replacement does not end; the next start repairs its state");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
