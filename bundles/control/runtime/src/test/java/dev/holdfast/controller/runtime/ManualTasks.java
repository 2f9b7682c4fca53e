package dev.holdfast.controller.runtime;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Runs tasks when the test calls it, in the order in which they became due. */
final class ManualTasks implements TaskExecutor {
  private final Deque<Runnable> ready = new ArrayDeque<>();
  private final List<Timer> timers = new ArrayList<>();
  private long now;

  private record Timer(long due, Runnable task) {}

  @Override
  public void execute(Runnable task) {
    ready.add(task);
  }

  @Override
  public Cancellable schedule(Runnable task, Duration delay) {
    Timer timer = new Timer(now + delay.toNanos(), task);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /** Runs the ready tasks, and the tasks that become ready during that. */
  void run() {
    while (!ready.isEmpty()) {
      ready.remove().run();
    }
  }

  /** Advances the time and runs all tasks that become due. */
  void pass(Duration time) {
    run();
    long end = now + time.toNanos();
    for (Optional<Timer> next = next(end); next.isPresent(); next = next(end)) {
      timers.remove(next.get());
      now = Math.max(now, next.get().due());
      ready.add(next.get().task());
      run();
    }
    now = Math.max(now, end);
  }

  private Optional<Timer> next(long end) {
    return timers.stream()
        .filter(timer -> timer.due() <= end)
        .min(Comparator.comparingLong(Timer::due));
  }

  /** Advances the time without running tasks, as in a pause of the machine. */
  void standStill(Duration time) {
    now += time.toNanos();
  }

  /** Returns a wall clock that advances with this time and now shows the given time. */
  Clock clock(Instant start) {
    long began = now;
    InstantSource source = () -> start.plusNanos(now - began);
    return source.withZone(ZoneOffset.UTC);
  }
}
