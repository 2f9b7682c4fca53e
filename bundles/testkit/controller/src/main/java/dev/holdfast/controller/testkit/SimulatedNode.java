package dev.holdfast.controller.testkit;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.TaskExecutor;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A node of the simulation through all its lives. */
final class SimulatedNode {
  /** Loaded once, because a new life must not search the class path. */
  private static final KindCatalogue KINDS = KindCatalogue.load();

  private static final int MOST_SKEW_SECONDS = 600;

  private final String name;
  private final Simulation simulation;
  private final EventLog log;
  private final List<Supplier<? extends Reconciler<?>>> reconcilers = new ArrayList<>();
  private Optional<NodeStore> store = Optional.empty();
  private int life;
  private boolean alive;
  private long cutOffUntil;
  private long stillUntil;

  SimulatedNode(String name, Simulation simulation, EventLog log) {
    this.name = name;
    this.simulation = simulation;
    this.log = log;
  }

  String name() {
    return name;
  }

  void runs(Supplier<? extends Reconciler<?>> reconciler) {
    reconcilers.add(reconciler);
  }

  boolean isAlive() {
    return alive;
  }

  /** Returns whether a store belongs to the present life. */
  boolean lives(NodeStore life) {
    return alive && store.isPresent() && store.get() == life;
  }

  boolean isCutOff() {
    return simulation.schedule().nanos() < cutOffUntil;
  }

  /** Isolates the node from the store for a time. */
  void cutOff(Duration time) {
    cutOffUntil = simulation.schedule().nanos() + time.toNanos();
  }

  /** Pauses the node for a time, like a long pause of the machine. */
  void standStill(Duration time) {
    stillUntil = simulation.schedule().nanos() + time.toNanos();
  }

  /** Ends isolation and pauses. */
  void heal() {
    cutOffUntil = 0;
    stillUntil = 0;
  }

  /** Ends this life; returns the error that ends the running step. */
  ProcessDied die() {
    alive = false;
    store = Optional.empty();
    simulation.died(this);
    return new ProcessDied(name);
  }

  /** Starts a life with empty memory and a new clock error. */
  void start() {
    if (alive) {
      return;
    }
    alive = true;
    life++;
    Random random = simulation.random();
    int skew = random.nextInt(2 * MOST_SKEW_SECONDS) - MOST_SKEW_SECONDS;
    NodeStore opened = new NodeStore(log, this, simulation);
    store = Optional.of(opened);
    ControllerRuntime runtime =
        new ControllerRuntime(
            opened,
            KINDS,
            name,
            simulation.schedule().clock(Duration.ofSeconds(skew)),
            new Tasks(),
            new Random(random.nextLong()),
            RuntimeSettings.DEFAULT);
    for (Supplier<? extends Reconciler<?>> reconciler : reconcilers) {
      add(runtime, reconciler.get());
    }
  }

  private static <R extends Resource<R>> void add(
      ControllerRuntime runtime, Reconciler<R> reconciler) {
    runtime.add(reconciler);
  }

  void wake() {
    store.ifPresent(NodeStore::wake);
  }

  /** Schedules an action for this life only. */
  void schedule(Duration delay, BooleanSupplier wanted, Runnable action) {
    int planned = life;
    simulation
        .schedule()
        .add(
            delay,
            () -> simulation.schedule().nanos() >= stillUntil,
            () -> alive && life == planned && wanted.getAsBoolean(),
            action);
  }

  /** Executor of the runtime of one life. */
  private final class Tasks implements TaskExecutor {
    @Override
    public void execute(Runnable task) {
      SimulatedNode.this.schedule(Duration.ZERO, () -> true, task);
    }

    @Override
    public Cancellable schedule(Runnable task, Duration delay) {
      boolean[] cancelled = new boolean[1];
      SimulatedNode.this.schedule(delay, () -> !cancelled[0], task);
      return () -> cancelled[0] = true;
    }

    @Override
    public long nanoTime() {
      return simulation.schedule().nanos();
    }
  }
}
