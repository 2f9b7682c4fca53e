package dev.holdfast.engine.lvm.internal;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that looks at something again and again, and outlives every failure. */
final class GroupWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupWatch.class);

  private final ScheduledExecutorService executor;

  /**
   * Starts to look.
   *
   * @param name of the thread
   * @param every time from the end of one look to the next one, before the first one too
   * @param look what is done
   */
  GroupWatch(String name, Duration every, Runnable look) {
    ScheduledThreadPoolExecutor single =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    this.executor = single;
    var unused =
        single.scheduleWithFixedDelay(
            () -> run(name, look), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void run(String name, Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      LOG.error("{}: could not inspect the volume group, retrying", name, e);
    }
  }

  /** Ends it, without waiting for a present look. */
  @Override
  public void close() {
    var unused = executor.shutdownNow();
  }
}
