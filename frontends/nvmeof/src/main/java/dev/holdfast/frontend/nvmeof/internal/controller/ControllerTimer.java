package dev.holdfast.frontend.nvmeof.internal.controller;

import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a task twice a second while at least one caller has registered. Its thread ends soon after
 * the last caller left, so that no thread of a replaced bundle remains.
 */
final class ControllerTimer {
  /** Time between two calls. */
  static final long PERIOD_MILLIS = 500;

  private static final Logger log = LoggerFactory.getLogger(ControllerTimer.class);

  private final Runnable task;
  private final ScheduledThreadPoolExecutor threads;
  private Optional<ScheduledFuture<?>> running = Optional.empty();

  ControllerTimer(Runnable task) {
    this.task = task;
    this.threads = new ScheduledThreadPoolExecutor(1, ControllerTimer::thread);
    threads.setRemoveOnCancelPolicy(true);
    threads.setKeepAliveTime(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "nvmeof-ticker");
    thread.setDaemon(true);
    return thread;
  }

  synchronized void start() {
    if (running.isEmpty()) {
      running =
          Optional.of(
              threads.scheduleWithFixedDelay(
                  this::run, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    }
  }

  synchronized void stop() {
    running.ifPresent(future -> future.cancel(false));
    running = Optional.empty();
  }

  private void run() {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("could not check the controllers, retrying", e);
    }
  }
}
