package dev.holdfast.controller.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Virtual time with its tasks; a random one of the due tasks runs next. */
final class Schedule {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final Random random;
  private final List<Task> tasks = new ArrayList<>();
  private long now;

  Schedule(Random random) {
    this.random = random;
  }

  /** A task that runs once, at or after a time, when its owner is ready. */
  private static final class Task {
    private final long due;
    private final BooleanSupplier ready;
    private final BooleanSupplier wanted;
    private final Runnable action;

    private Task(long due, BooleanSupplier ready, BooleanSupplier wanted, Runnable action) {
      this.due = due;
      this.ready = ready;
      this.wanted = wanted;
      this.action = action;
    }
  }

  long nanos() {
    return now;
  }

  /**
   * Adds a task.
   *
   * @param ready whether its owner can run it now; checked whenever it is due
   * @param wanted whether the task is still wanted; otherwise it is dropped
   */
  void add(Duration delay, BooleanSupplier ready, BooleanSupplier wanted, Runnable action) {
    tasks.add(new Task(now + delay.toNanos(), ready, wanted, action));
  }

  /** Runs one due task; returns whether one was due. */
  boolean runOneDue() {
    tasks.removeIf(task -> !task.wanted.getAsBoolean());
    List<Task> due = tasks.stream().filter(t -> t.due <= now && t.ready.getAsBoolean()).toList();
    if (due.isEmpty()) {
      return false;
    }
    Task next = due.get(random.nextInt(due.size()));
    tasks.remove(next);
    next.action.run();
    return true;
  }

  /** Advances the time to the next task, but not beyond a limit; returns whether a task exists. */
  boolean advance(long limit) {
    Optional<Long> next =
        tasks.stream().filter(t -> t.due > now).map(t -> t.due).min(Long::compare);
    now = Math.min(limit, next.orElse(limit));
    return next.isPresent() && next.get() <= limit;
  }

  /** Returns a wall clock with a constant error. */
  Clock clock(Duration skew) {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("simulated clocks tell UTC only");
      }

      @Override
      public Instant instant() {
        return EPOCH.plusNanos(now).plus(skew);
      }
    };
  }
}
