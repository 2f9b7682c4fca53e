package dev.holdfast.engine.sparse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the threads of simulated processes one at a time, by a seed and a virtual clock. A thread
 * yields when it waits, and at random when it enters a monitor. The next thread is drawn from all
 * runnable threads. If none is runnable, the time advances to the next timer. Equal seeds give
 * equal runs: {@link #trace} is a hash of every turn.
 *
 * <p>{@link Instrumented} classes call it for their monitors, clocks and random identities.
 */
public final class Scheduler {
  private static final int PREEMPTION = 64;
  private static final long REAL_LIMIT_SECONDS = 300;

  /** Unwinds the threads of a process that was killed. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** A process from its start to its end: threads that end together. */
  public static final class Incarnation {
    private final String name;
    private boolean dead;
    private long stopsUntil;

    /** Creates a process. */
    public Incarnation(String name) {
      this.name = name;
    }

    /** Returns whether the process was killed. */
    public boolean dead() {
      return dead;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** An item that can get the turn. */
  private interface Item {
    int number();

    Incarnation of();
  }

  private record Task(int number, Incarnation process, Runnable run) implements Item {
    @Override
    public Incarnation of() {
      return process;
    }
  }

  /** An action at a time; actions of one time run in the order in which they were requested. */
  private record Timer(long time, int number, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(time, other.time);
      return byTime != 0 ? byTime : Integer.compare(number, other.number);
    }
  }

  /** The process of everything outside of nodes: the network and the environment. */
  public static final Incarnation WORLD = new Incarnation("world");

  private final Random random;
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final List<Item> ready = new ArrayList<>();
  private final Deque<Worker> idle = new ArrayDeque<>();
  private final List<Worker> workers = new ArrayList<>();
  private final VirtualMonitors monitors = new VirtualMonitors(this);
  private final CountDownLatch over = new CountDownLatch(1);
  private int numbers;
  private long now;
  private long trace;
  private volatile boolean stopped;
  private volatile Throwable failure;

  /** Creates a scheduler. Equal seeds give equal runs. */
  public Scheduler(long seed) {
    random = new Random(seed);
  }

  /** Runs a whole simulation; returns when the given main thread has ended. */
  public void run(Runnable main) throws InterruptedException {
    Worker first = new Worker();
    first.task =
        new Task(
            numbers++,
            new Incarnation("simulation"),
            () -> {
              try {
                main.run();
              } catch (Killed e) {
                throw e;
              } catch (RuntimeException | Error e) {
                failure = e;
              }
              finish();
            });
    first.go();
    boolean ended = over.await(REAL_LIMIT_SECONDS, TimeUnit.SECONDS);
    String threads = ended ? "" : dump();
    stopped = true;
    workers.forEach(Worker::go);
    if (!ended) {
      throw new IllegalStateException("a thread waits outside of the simulation:" + threads);
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  private void finish() {
    stopped = true;
    over.countDown();
    throw new Killed();
  }

  private String dump() {
    StringBuilder text = new StringBuilder();
    for (Worker worker : workers) {
      text.append('\n').append(worker.process).append(worker.blocked ? " waits" : " runs");
      for (StackTraceElement frame : worker.getStackTrace()) {
        text.append("\n    ").append(frame);
      }
    }
    return text.toString();
  }

  /** Returns a hash of all events so far, in their order. */
  public long trace() {
    return trace;
  }

  /** Adds something to the hash. */
  public void note(long what) {
    trace = trace * 0x9E3779B97F4A7C15L + what + 1;
  }

  /** Returns a unique number. */
  int nextNumber() {
    return numbers++;
  }

  /** Returns the virtual time in nanoseconds. */
  public long now() {
    return now;
  }

  /** Starts a thread of a process. */
  public void start(Incarnation process, Runnable run) {
    if (!stopped && !process.dead) {
      ready.add(new Task(numbers++, process, run));
    }
  }

  /** Starts a thread of a process after a delay. */
  public void later(Incarnation process, long nanos, Runnable run) {
    at(now + Math.max(0, nanos), () -> start(process, run));
  }

  /** Ends all threads of a process at their current point. */
  public void kill(Incarnation process) {
    process.dead = true;
    for (Worker worker : workers) {
      if (worker.process == process) {
        worker.wake();
      }
    }
  }

  /** Pauses a process for a time, as by a signal: none of its threads gets a turn. */
  public void stop(Incarnation process, Duration duration) {
    process.stopsUntil = now + duration.toNanos();
  }

  /** Resumes a paused process. */
  public void resume(Incarnation process) {
    process.stopsUntil = 0;
  }

  /** Makes a thread of the simulation wait. */
  public void sleep(Duration duration) {
    Object alone = new Object();
    Worker self = self();
    monitors.enter(self, alone);
    try {
      monitors.wait(self, alone, duration.toNanos());
    } finally {
      exit(self, alone);
    }
  }

  /** Runs an action at a time, unless the simulation ends before. */
  void at(long time, Runnable action) {
    timers.add(new Timer(time, numbers++, action));
  }

  // --- turns

  private Item next() {
    while (true) {
      while (ready.isEmpty()) {
        Timer timer = timers.poll();
        if (timer == null) {
          failure = new IllegalStateException("no thread can run:" + dump());
          finish();
        }
        now = Math.max(now, timer.time());
        timer.action().run();
      }
      int chosen = random.nextInt(ready.size());
      Item item = ready.get(chosen);
      ready.set(chosen, ready.get(ready.size() - 1));
      ready.remove(ready.size() - 1);
      if (item.of() != null && !item.of().dead && item.of().stopsUntil > now) {
        at(item.of().stopsUntil, () -> ready.add(item));
        continue;
      }
      if (!(item instanceof Task task) || !task.process().dead) {
        note(now);
        note(item.number());
        return item;
      }
    }
  }

  private void give(Item item) {
    if (item instanceof Worker worker) {
      worker.go();
    } else {
      Worker worker = idle.isEmpty() ? new Worker() : idle.pop();
      worker.task = (Task) item;
      worker.go();
    }
  }

  /** Gives the turn to another thread until this one is woken. */
  void block(Worker self) {
    self.blocked = true;
    Item next = next();
    if (next != self) {
      give(next);
      self.awaitTurn();
    }
    self.check();
  }

  /** A real thread that runs only when it is its turn. */
  final class Worker extends Thread implements Item {
    private final int number = numbers++;
    private volatile boolean turn;
    private Incarnation process;
    private Task task;
    private boolean blocked;
    private boolean woken;
    private int waits;
    private boolean started;

    Worker() {
      super("simulated");
      setDaemon(true);
      workers.add(this);
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public Incarnation of() {
      return process;
    }

    Scheduler scheduler() {
      return Scheduler.this;
    }

    void go() {
      blocked = false;
      woken = false;
      turn = true;
      if (started) {
        LockSupport.unpark(this);
      } else {
        started = true;
        start();
      }
    }

    void awaitTurn() {
      while (!turn) {
        LockSupport.park(this);
      }
      turn = false;
      if (stopped) {
        throw new Killed();
      }
    }

    void wake() {
      if (blocked && !woken) {
        woken = true;
        ready.add(this);
      }
    }

    int nextWait() {
      return ++waits;
    }

    boolean isWait(int wait) {
      return waits == wait;
    }

    void check() {
      blocked = false;
      woken = false;
      if (stopped || process.dead) {
        throw new Killed();
      }
    }

    @Override
    public void run() {
      try {
        awaitTurn();
        while (true) {
          runTask();
          process = null;
          Item next = next();
          if (next instanceof Task another) {
            task = another;
          } else {
            idle.push(this);
            give(next);
            awaitTurn();
          }
        }
      } catch (Killed e) {
        // The simulation has ended.
      }
    }

    private void runTask() {
      process = task.process();
      try {
        task.run().run();
      } catch (Killed e) {
        if (stopped) {
          throw e;
        }
      } catch (RuntimeException | Error e) {
        failure = new IllegalStateException("a thread of " + process + " failed", e);
        finish();
      }
    }
  }

  private static Worker self() {
    return (Worker) Thread.currentThread();
  }

  // --- calls of instrumented classes

  /**
   * Called at the start of each handler of an {@code Error}, so that no code outlives its process.
   */
  public static void passKilled(Throwable thrown) {
    if (thrown instanceof Killed killed) {
      throw killed;
    }
  }

  /** Replaces the entry of a monitor. */
  public static void enter(Object object) {
    Worker self = self();
    Scheduler scheduler = self.scheduler();
    if (scheduler.random.nextInt(PREEMPTION) == 0) {
      scheduler.yieldTurn(self);
    }
    scheduler.monitors.enter(self, object);
  }

  private void yieldTurn(Worker self) {
    self.check();
    self.blocked = true;
    self.wake();
    block(self);
  }

  /** Replaces the exit of a monitor. */
  public static void exit(Object object) {
    Worker self = self();
    self.scheduler().exit(self, object);
  }

  private void exit(Worker self, Object object) {
    if (!stopped) {
      monitors.exit(self, object);
    }
  }

  /** Replaces {@link Object#wait()}. */
  public static void await(Object object) {
    await(object, 0);
  }

  /** Replaces {@link Object#wait(long)}. */
  public static void await(Object object, long millis) {
    Worker self = self();
    self.scheduler().monitors.wait(self, object, TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** Replaces {@link Object#notifyAll}. */
  public static void wakeAll(Object object) {
    self().scheduler().monitors.wakeAll(object);
  }

  /** Replaces {@link System#nanoTime}. */
  public static long nanoTime() {
    return self().scheduler().now;
  }

  /** Replaces {@link Instant#now}. */
  public static Instant instant() {
    return Instant.EPOCH.plusNanos(self().scheduler().now);
  }

  /** Replaces {@link UUID#randomUUID}. */
  public static UUID randomUuid() {
    Random random = self().scheduler().random;
    return new UUID(random.nextLong(), random.nextLong());
  }

  /** Replaces a thread's number. */
  public static long threadId(Thread thread) {
    return ((Worker) thread).number;
  }

  /** Returns the scheduler of this thread. */
  public static Scheduler current() {
    return self().scheduler();
  }

  /** Returns the process of this thread. */
  public static Incarnation process() {
    return self().process;
  }

  /** Unwinds this thread if its process was killed. */
  public static void checkAlive() {
    self().check();
  }

  /** Returns the number of waiting threads by process, for messages. */
  public Map<String, Integer> waiting() {
    Map<String, Integer> count = new HashMap<>();
    workers.stream()
        .filter(worker -> worker.blocked && worker.process != null)
        .forEach(worker -> count.merge(worker.process.name, 1, Integer::sum));
    return count;
  }
}
