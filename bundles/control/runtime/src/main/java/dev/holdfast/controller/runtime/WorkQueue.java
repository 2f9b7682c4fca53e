package dev.holdfast.controller.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Queue of keys that wait for a worker. It contains a key at most once, and never gives it to two
 * workers at a time. A key that is added while it is processed is processed again afterwards.
 *
 * <pre>
 *   add ──► waiting ──► running ──► (added meanwhile? ──► waiting)
 *    ▲                                  │
 *    └──────────── addAfter ◄───────────┘
 * </pre>
 *
 * <p>A key that is processed for too long is reported, and no longer counts towards the number of
 * workers. Other keys continue; at most as many additional workers run.
 *
 * <p>Thread-safe; the worker is called without the lock.
 */
final class WorkQueue {
  private final TaskExecutor tasks;
  private final int workers;
  private final Consumer<String> worker;
  private final Duration lateAfter;
  private final Consumer<String> whenLate;
  private final Deque<String> waiting = new ArrayDeque<>();
  private final Set<String> queued = new HashSet<>();
  private final Map<String, Thread> running = new HashMap<>();
  private final Set<String> late = new HashSet<>();
  private final Set<String> again = new HashSet<>();
  private final Map<String, Alarm> alarms = new HashMap<>();
  private boolean open;
  private boolean closed;

  private record Alarm(long dueNanos, TaskExecutor.Cancellable timer) {}

  /**
   * Creates a paused queue.
   *
   * @param workers number of keys that are processed at a time
   * @param worker processes a key; must not throw
   * @param lateAfter time after which the processing of a key is late
   * @param whenLate receives, once per run, a key whose processing is late
   */
  WorkQueue(
      TaskExecutor tasks,
      int workers,
      Consumer<String> worker,
      Duration lateAfter,
      Consumer<String> whenLate) {
    this.tasks = tasks;
    this.workers = workers;
    this.worker = worker;
    this.lateAfter = lateAfter;
    this.whenLate = whenLate;
  }

  /** Starts to process keys. */
  void resume() {
    synchronized (this) {
      open = !closed;
    }
    dispatch();
  }

  /** Stops processing and removes the waiting keys. Running keys continue. */
  synchronized void pause() {
    open = false;
    waiting.clear();
    queued.clear();
    again.clear();
    alarms.values().forEach(alarm -> alarm.timer().cancel());
    alarms.clear();
  }

  /**
   * Stops permanently and waits until all running keys end. Late keys are interrupted without
   * waiting for them.
   *
   * @return the keys that are still being processed
   */
  synchronized Set<String> close() {
    closed = true;
    pause();
    boolean interrupted = false;
    while (running.size() > late.size()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    late.forEach(key -> running.get(key).interrupt());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return Set.copyOf(late);
  }

  /** Adds a key now. */
  void add(String key) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (running.containsKey(key)) {
        again.add(key);
        return;
      }
      if (!queued.add(key)) {
        return;
      }
      waiting.add(key);
    }
    dispatch();
  }

  /** Adds a key after a delay. Of several calls the earliest time counts. */
  synchronized void addAfter(String key, Duration delay) {
    if (closed) {
      return;
    }
    long due = tasks.nanoTime() + delay.toNanos();
    Alarm earlier = alarms.get(key);
    if (earlier != null && earlier.dueNanos() - due <= 0) {
      return;
    }
    if (earlier != null) {
      earlier.timer().cancel();
    }
    alarms.put(key, new Alarm(due, tasks.schedule(() -> ring(key, due), delay)));
  }

  private void ring(String key, long due) {
    synchronized (this) {
      Alarm alarm = alarms.get(key);
      if (alarm == null || alarm.dueNanos() != due) {
        return;
      }
      alarms.remove(key);
    }
    add(key);
  }

  /** Returns the number of waiting keys. */
  synchronized int size() {
    return waiting.size();
  }

  private void dispatch() {
    List<String> started = new ArrayList<>();
    synchronized (this) {
      int most = workers + Math.min(late.size(), workers);
      while (open && !waiting.isEmpty() && running.size() < most) {
        String key = waiting.remove();
        queued.remove(key);
        running.put(key, Thread.currentThread());
        started.add(key);
      }
    }
    started.forEach(key -> tasks.execute(() -> work(key)));
  }

  private void work(String key) {
    TaskExecutor.Cancellable watch = tasks.schedule(() -> late(key), lateAfter);
    try {
      if (begins(key)) {
        worker.accept(key);
      }
    } finally {
      watch.cancel();
      finish(key);
    }
    dispatch();
  }

  private void late(String key) {
    synchronized (this) {
      if (!running.containsKey(key) || !late.add(key)) {
        return;
      }
      notifyAll();
    }
    dispatch();
    whenLate.accept(key);
  }

  private synchronized boolean begins(String key) {
    running.put(key, Thread.currentThread());
    return open;
  }

  private synchronized void finish(String key) {
    running.remove(key);
    late.remove(key);
    if (again.remove(key) && !closed && queued.add(key)) {
      waiting.add(key);
    }
    notifyAll();
  }
}
