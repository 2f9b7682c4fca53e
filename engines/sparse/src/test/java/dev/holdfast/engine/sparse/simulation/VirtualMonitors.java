package dev.holdfast.engine.sparse.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** Monitors of the objects of a simulation. Only the thread with the turn calls it. */
final class VirtualMonitors {
  private static final class Monitor {
    private Scheduler.Worker owner;
    private int count;
    private final List<Scheduler.Worker> entering = new ArrayList<>(2);
    private final List<Scheduler.Worker> waiting = new ArrayList<>(2);
  }

  private final Scheduler scheduler;
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();

  VirtualMonitors(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void enter(Scheduler.Worker self, Object object) {
    self.check();
    Monitor monitor = monitors.computeIfAbsent(object, key -> new Monitor());
    while (monitor.owner != null && monitor.owner != self) {
      monitor.entering.add(self);
      try {
        scheduler.block(self);
      } finally {
        monitor.entering.remove(self);
      }
      monitors.put(object, monitor);
    }
    monitor.owner = self;
    monitor.count++;
  }

  void exit(Scheduler.Worker self, Object object) {
    Monitor monitor = monitors.get(object);
    if (monitor != null && monitor.owner == self) {
      monitor.count--;
      if (monitor.count == 0) {
        release(object, monitor);
      }
    }
  }

  private void release(Object object, Monitor monitor) {
    monitor.owner = null;
    monitor.count = 0;
    monitor.entering.forEach(Scheduler.Worker::wake);
    if (monitor.entering.isEmpty() && monitor.waiting.isEmpty()) {
      monitors.remove(object);
    }
  }

  /**
   * Releases the monitor until the thread is woken, then enters it again.
   *
   * @param nanos the longest time to wait, 0 for no limit
   */
  void wait(Scheduler.Worker self, Object object, long nanos) {
    self.check();
    Monitor monitor = monitors.get(object);
    if (monitor == null || monitor.owner != self) {
      throw new IllegalMonitorStateException();
    }
    int count = monitor.count;
    monitor.waiting.add(self);
    int wait = self.nextWait();
    if (nanos > 0) {
      scheduler.at(
          scheduler.now() + nanos,
          () -> {
            if (self.isWait(wait) && monitor.waiting.contains(self)) {
              self.wake();
            }
          });
    }
    release(object, monitor);
    try {
      scheduler.block(self);
    } finally {
      monitor.waiting.remove(self);
      self.nextWait();
    }
    monitors.put(object, monitor);
    enter(self, object);
    monitor.count = count;
  }

  void wakeAll(Object object) {
    Monitor monitor = monitors.get(object);
    if (monitor != null) {
      List.copyOf(monitor.waiting).forEach(Scheduler.Worker::wake);
    }
  }
}
