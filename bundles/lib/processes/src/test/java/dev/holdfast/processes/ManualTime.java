package dev.holdfast.processes;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A clock and an executor whose time advances only in {@link #pass}, on the test's thread. */
final class ManualTime extends AbstractExecutorService implements ScheduledExecutorService {
  private final Queue<Runnable> ready = new ArrayDeque<>();
  private final List<Timer> timers = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  Clock clock() {
    return new Clock() {
      @Override
      public Instant instant() {
        return now;
      }

      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }
    };
  }

  /** Advances the time and runs due tasks in order. */
  void pass(Duration duration) {
    Instant end = now.plus(duration);
    runReady();
    while (true) {
      Timer next =
          timers.stream()
              .filter(timer -> !timer.at.isAfter(end))
              .min(Comparator.comparing(timer -> timer.at))
              .orElse(null);
      if (next == null) {
        break;
      }
      timers.remove(next);
      now = next.at;
      next.run();
      runReady();
    }
    now = end;
  }

  private void runReady() {
    for (Runnable task = ready.poll(); task != null; task = ready.poll()) {
      task.run();
    }
  }

  /** Returns the number of waiting timers. */
  int timers() {
    return timers.size();
  }

  @Override
  public void execute(Runnable task) {
    ready.add(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return add(task, delay, unit, Duration.ZERO);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long first, long delay, TimeUnit unit) {
    return add(task, first, unit, Duration.of(delay, unit.toChronoUnit()));
  }

  private Timer add(Runnable task, long delay, TimeUnit unit, Duration period) {
    Timer timer = new Timer(task, now.plus(delay, unit.toChronoUnit()), period);
    timers.add(timer);
    return timer;
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long first, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }

  private final class Timer extends FutureTask<Void>
      implements ScheduledFuture<Void>, RunnableFuture<Void> {
    private final Duration period;
    private Instant at;

    Timer(Runnable task, Instant at, Duration period) {
      super(task, null);
      this.at = at;
      this.period = period;
    }

    @Override
    public void run() {
      if (period.isZero()) {
        super.run();
      } else if (runAndReset()) {
        at = now.plus(period);
        timers.add(this);
      }
    }

    @Override
    public boolean cancel(boolean interrupt) {
      timers.remove(this);
      return super.cancel(interrupt);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(Duration.between(now, at));
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
