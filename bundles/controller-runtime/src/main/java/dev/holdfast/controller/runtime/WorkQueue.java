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
 * Keys that wait for a worker. A key is there once however often it is added, and is never handed
 * to two workers at a time; a key added while it is worked on is handed out again afterwards.
 *
 * <pre>
 *   add ──► waiting ──► running ──► (added meanwhile? ──► waiting)
 *    ▲                                  │
 *    └──────────── addAfter ◄───────────┘
 * </pre>
 *
 * Thread-safe; the worker is called without the lock.
 */
final class WorkQueue {
  private final TaskExecutor tasks;
  private final int workers;
  private final Consumer<String> worker;
  private final Deque<String> waiting = new ArrayDeque<>();
  private final Set<String> queued = new HashSet<>();
  private final Set<String> running = new HashSet<>();
  private final Set<String> again = new HashSet<>();
  private final Map<String, Alarm> alarms = new HashMap<>();
  private boolean open;
  private boolean closed;

  private record Alarm(long dueNanos, TaskExecutor.Cancellable timer) {}

  /**
   * Makes a paused queue.
   *
   * @param workers how many keys are worked on at a time
   * @param worker does the work; must not throw
   */
  WorkQueue(TaskExecutor tasks, int workers, Consumer<String> worker) {
    this.tasks = tasks;
    this.workers = workers;
    this.worker = worker;
  }

  /** Lets the work begin. */
  void resume() {
    synchronized (this) {
      open = !closed;
    }
    dispatch();
  }

  /** Stops handing out keys and forgets those that wait; those running go on. */
  synchronized void pause() {
    open = false;
    waiting.clear();
    queued.clear();
    again.clear();
    alarms.values().forEach(alarm -> alarm.timer().cancel());
    alarms.clear();
  }

  /** Stops for good and waits until no key is worked on any more. */
  synchronized void close() {
    closed = true;
    pause();
    boolean interrupted = false;
    while (!running.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Adds a key now. */
  void add(String key) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (running.contains(key)) {
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

  /** Adds a key after a while; of several such wishes the earliest counts. */
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

  /** Returns how many keys wait now. */
  synchronized int size() {
    return waiting.size();
  }

  private void dispatch() {
    List<String> started = new ArrayList<>();
    synchronized (this) {
      while (open && !waiting.isEmpty() && running.size() < workers) {
        String key = waiting.remove();
        queued.remove(key);
        running.add(key);
        started.add(key);
      }
    }
    started.forEach(key -> tasks.execute(() -> work(key)));
  }

  private void work(String key) {
    try {
      if (isOpen()) {
        worker.accept(key);
      }
    } finally {
      finish(key);
    }
    dispatch();
  }

  private synchronized boolean isOpen() {
    return open;
  }

  private synchronized void finish(String key) {
    running.remove(key);
    if (again.remove(key) && !closed && queued.add(key)) {
      waiting.add(key);
    }
    notifyAll();
  }
}
