package dev.holdfast.controller.testkit;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Reconcilers on several nodes over one store, in virtual time on one thread. The order of events
 * and the faults are random; the same seed gives the same history. Invariants are checked after
 * every step and every write.
 *
 * <pre>{@code
 * Simulation simulation =
 *     Simulation.builder(seed)
 *         .reconciler("node-1", VolumeReconciler::new)
 *         .reconciler("node-2", VolumeReconciler::new)
 *         .invariant("one writer", store -> ...)
 *         .build();
 * simulation.store().create(volume);
 * simulation.run(Duration.ofMinutes(2));
 * simulation.calm();
 * simulation.runUntil("attached", Duration.ofMinutes(5), store -> ...);
 * }</pre>
 */
public final class Simulation {
  private static final int DEEPEST = 2;
  private static final int MOST_INTERLEAVED = 4;
  private static final int MOST_STEPS = 400_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final long seed;
  private final Random random;
  private final Schedule schedule;
  private final EventLog log;
  private final Map<String, SimulatedNode> nodes = new LinkedHashMap<>();
  private final Invariants invariants;
  private Faults faults;
  private int depth;
  private int steps;

  private Simulation(Builder builder) {
    seed = builder.seed;
    random = new Random(seed);
    schedule = new Schedule(random);
    faults = builder.faults;
    log = new EventLog(new MemoryResourceStore(schedule.clock(Duration.ZERO), 1), this::written);
    invariants = new Invariants(builder.invariants, this::failed);
  }

  /** A permanent invariant. */
  @FunctionalInterface
  public interface Invariant {
    /**
     * Checks the real content of the store.
     *
     * @throws AssertionError with the violation
     */
    void check(ResourceStore store) throws StorageException;
  }

  /** Condition of a wait. */
  @FunctionalInterface
  public interface Goal {
    /** Returns whether the goal is reached in the real store. */
    boolean reached(ResourceStore store) throws StorageException;
  }

  /** Comparison of the store with its expected content. */
  @FunctionalInterface
  public interface Comparison {
    /**
     * Compares the real store.
     *
     * @return the expected and the found content, empty if they are equal; never null
     */
    String difference(ResourceStore store) throws StorageException;
  }

  /** An action of a user or another system. */
  @FunctionalInterface
  public interface Action {
    /** Runs the action; a StorageException counts as an answer and has no further effect. */
    void act(ResourceStore store) throws StorageException;
  }

  /** Starts the description of a simulation. */
  public static Builder builder(long seed) {
    return new Builder(seed);
  }

  /** Returns the real store, without faults and delays. */
  public ResourceStore store() {
    return log;
  }

  /** Returns the right time. */
  public Clock clock() {
    return schedule.clock(Duration.ZERO);
  }

  /** Returns the only permitted source of randomness. */
  public Random random() {
    return random;
  }

  /** Schedules an action of a user or another system. */
  public void after(Duration delay, Action action) {
    schedule.add(
        delay,
        () -> true,
        () -> true,
        () -> {
          try {
            action.act(log);
          } catch (StorageException e) {
            return;
          }
        });
  }

  /** Kills a node now; it restarts by itself. */
  public void crash(String node) {
    SimulatedNode dying = nodes.get(node);
    if (dying.isAlive()) {
      dying.die();
    }
  }

  /** Advances the time. */
  public void run(Duration time) {
    long end = schedule.nanos() + time.toNanos();
    while (schedule.nanos() < end) {
      if (!step() && !schedule.advance(end)) {
        return;
      }
    }
  }

  /** Ends all faults: all nodes run and reach the store. */
  public void calm() {
    faults = Faults.NONE;
    nodes.values().forEach(SimulatedNode::heal);
    nodes.values().forEach(SimulatedNode::start);
  }

  /**
   * Advances the time until a goal is reached.
   *
   * @param what description of the goal
   * @param limit limit in virtual time
   * @throws AssertionError when the goal is not reached in that time
   */
  public void runUntil(String what, Duration limit, Goal goal) throws StorageException {
    long end = schedule.nanos() + limit.toNanos();
    while (!goal.reached(log)) {
      if (!step() && (!schedule.advance(end) || schedule.nanos() >= end)) {
        throw failure("not reached in " + limit + ": " + what);
      }
    }
  }

  /**
   * Advances the time until the store has the expected content.
   *
   * @param rule description of the comparison
   * @param limit limit in virtual time
   * @throws AssertionError with the last difference when one remains after that time
   */
  public void runUntilEqual(String rule, Duration limit, Comparison comparison)
      throws StorageException {
    long end = schedule.nanos() + limit.toNanos();
    String difference = comparison.difference(log);
    while (!difference.isEmpty()) {
      if (!step() && (!schedule.advance(end) || schedule.nanos() >= end)) {
        throw new AssertionError(
            rule + ": after " + limit + " of virtual time: " + difference + again());
      }
      difference = comparison.difference(log);
    }
  }

  private boolean step() {
    if (steps++ > MOST_STEPS) {
      throw failure("no end after " + MOST_STEPS + " steps");
    }
    boolean ran;
    try {
      ran = schedule.runOneDue();
    } catch (ProcessDied e) {
      ran = true;
    }
    invariants.requireUnbroken();
    invariants.check(log);
    return ran;
  }

  /** Runs other nodes at random while a node waits for the store's answer. */
  void interleave() {
    if (depth >= DEEPEST || !happens(faults.interleaving())) {
      return;
    }
    depth++;
    try {
      for (int i = 1 + random.nextInt(MOST_INTERLEAVED); i > 0; i--) {
        try {
          if (!schedule.runOneDue()) {
            schedule.advance(schedule.nanos() + SECOND.toNanos());
          }
        } catch (ProcessDied e) {
          steps++;
        }
      }
    } finally {
      depth--;
    }
  }

  private void written() {
    nodes.values().forEach(SimulatedNode::wake);
    invariants.check(log);
  }

  private AssertionError failure(String message) {
    return new AssertionError(described(message));
  }

  private AssertionError failed(String message, Throwable cause) {
    return new AssertionError(described(message), cause);
  }

  private String described(String message) {
    return "seed "
        + seed
        + ", step "
        + steps
        + ", "
        + Duration.ofNanos(schedule.nanos())
        + ": "
        + message
        + again()
        + "\n"
        + log.contents();
  }

  private String again() {
    return " (again with -D" + Histories.SEED_PROPERTY + "=" + seed + ")";
  }

  boolean happens(double probability) {
    return random.nextDouble() < probability;
  }

  Faults faults() {
    return faults;
  }

  Schedule schedule() {
    return schedule;
  }

  void died(SimulatedNode node) {
    after(Duration.ofMillis(random.nextInt(25_000)), s -> node.start());
  }

  /** Describes a simulation. */
  public static final class Builder {
    private final long seed;
    private final Map<String, Invariant> invariants = new LinkedHashMap<>();
    private final Map<String, List<Supplier<? extends Reconciler<?>>>> reconcilers =
        new LinkedHashMap<>();
    private Faults faults = Faults.ALL;

    private Builder(long seed) {
      this.seed = seed;
    }

    /**
     * Runs a reconciler on a node.
     *
     * @param node the node, created at its first use
     * @param reconciler creates the reconciler for each start of the node
     */
    public Builder reconciler(String node, Supplier<? extends Reconciler<?>> reconciler) {
      reconcilers.computeIfAbsent(node, n -> new ArrayList<>()).add(reconciler);
      return this;
    }

    /** Checks an invariant at every step. */
    public Builder invariant(String name, Invariant invariant) {
      invariants.put(name, invariant);
      return this;
    }

    /** Sets the faults until {@link Simulation#calm()}; {@link Faults#ALL} if not called. */
    public Builder faults(Faults wanted) {
      faults = wanted;
      return this;
    }

    /** Starts all nodes. */
    public Simulation build() {
      Simulation simulation = new Simulation(this);
      reconcilers.forEach(
          (name, makers) -> {
            SimulatedNode node = new SimulatedNode(name, simulation, simulation.log);
            makers.forEach(node::runs);
            simulation.nodes.put(name, node);
            node.start();
          });
      new Disruptions(simulation, List.copyOf(simulation.nodes.values())).plan();
      return simulation;
    }
  }
}
