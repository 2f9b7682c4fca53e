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

/** Virtual time, and what is to be done in it: of all that is due, chance picks what is next. */
final class Schedule {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final Random random;
  private final List<Task> tasks = new ArrayList<>();
  private long now;

  Schedule(Random random) {
    this.random = random;
  }

  /** Something to be done once, at or after a time, while its owner can. */
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
   * @param ready whether its owner can do it now; asked whenever it is due
   * @param wanted whether the task is still wanted; otherwise it is dropped
   */
  void add(Duration delay, BooleanSupplier ready, BooleanSupplier wanted, Runnable action) {
    tasks.add(new Task(now + delay.toNanos(), ready, wanted, action));
  }

  /** Runs one task that is due now; returns whether there was one. */
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

  /** Moves time to the next task, but not past a limit; returns whether there was one. */
  boolean advance(long limit) {
    Optional<Long> next =
        tasks.stream().filter(t -> t.due > now).map(t -> t.due).min(Long::compare);
    now = Math.min(limit, next.orElse(limit));
    return next.isPresent() && next.get() <= limit;
  }

  /** A wall clock that is wrong by a constant. */
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
