package dev.holdfast.engine.sparse.simulation;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Starts threads of a simulated process, now or at a virtual time. Its futures are not used. */
public final class VirtualExecutor extends AbstractExecutorService
    implements ScheduledExecutorService {
  private final Scheduler scheduler;
  private final Scheduler.Incarnation process;
  private boolean stopped;

  /** Creates the executor of a process. */
  public VirtualExecutor(Scheduler scheduler, Scheduler.Incarnation process) {
    this.scheduler = scheduler;
    this.process = process;
  }

  /** Replaces an executor with a timer, in the calling process. */
  public static ScheduledExecutorService timer(ThreadFactory ignored) {
    return new VirtualExecutor(Scheduler.current(), Scheduler.process());
  }

  @Override
  public void execute(Runnable command) {
    checkAccepts();
    scheduler.start(process, command);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    checkAccepts();
    scheduler.later(process, unit.toNanos(delay), () -> due(command));
    return null;
  }

  private void checkAccepts() {
    if (stopped) {
      throw new RejectedExecutionException("it was shut down");
    }
  }

  // As after shutdownNow, tasks that have not begun are dropped.
  private void due(Runnable command) {
    if (!stopped) {
      command.run();
    }
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    var unused = schedule((Runnable) new FutureTask<>(callable), delay, unit);
    return null;
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long first, long period, TimeUnit unit) {
    return scheduleWithFixedDelay(command, first, period, unit);
  }

  // No virtual time passes while a command computes, so a fixed rate is the same as a fixed delay,
  // unless it waits.
  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long first, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          command.run();
          if (!stopped) {
            var unused = scheduleWithFixedDelay(command, delay, delay, unit);
          }
        },
        first,
        unit);
  }

  @Override
  public void shutdown() {
    stopped = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    stopped = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return stopped;
  }

  @Override
  public boolean isTerminated() {
    return stopped;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }
}
