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

  /** Invariant at any time. */
  @FunctionalInterface
  public interface Invariant {
    /**
     * Checks the real content of the store.
     *
     * @throws AssertionError naming what is wrong
     */
    void check(ResourceStore store) throws StorageException;
  }

  /** Condition of a wait. */
  @FunctionalInterface
  public interface Goal {
    /** Returns whether it is reached, by the store as it really is. */
    boolean reached(ResourceStore store) throws StorageException;
  }

  /** Comparison of the store with what it should hold. */
  @FunctionalInterface
  public interface Comparison {
    /**
     * Compares the store as it really is.
     *
     * @return the expected and the found content, empty when they are equal; never null
     */
    String difference(ResourceStore store) throws StorageException;
  }

  /** An action of a user or another system. */
  @FunctionalInterface
  public interface Action {
    /** Runs the action; a StorageException is taken for an answer and has no further effect. */
    void act(ResourceStore store) throws StorageException;
  }

  /** Starts to describe a simulation. */
  public static Builder builder(long seed) {
    return new Builder(seed);
  }

  /** Returns the store as it really is: no faults, no delay. */
  public ResourceStore store() {
    return log;
  }

  /** Returns the right time. */
  public Clock clock() {
    return schedule.clock(Duration.ZERO);
  }

  /** Returns the source of all chance; use no other. */
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

  /** Lets a node die now; it comes back by itself. */
  public void crash(String node) {
    SimulatedNode dying = nodes.get(node);
    if (dying.isAlive()) {
      dying.die();
    }
  }

  /** Lets time pass. */
  public void run(Duration time) {
    long end = schedule.nanos() + time.toNanos();
    while (schedule.nanos() < end) {
      if (!step() && !schedule.advance(end)) {
        return;
      }
    }
  }

  /** Ends all faults: every node runs and reaches the store. */
  public void calm() {
    faults = Faults.NONE;
    nodes.values().forEach(SimulatedNode::heal);
    nodes.values().forEach(SimulatedNode::start);
  }

  /**
   * Lets time pass until something is reached.
   *
   * @param what it is, in words
   * @param limit how much virtual time it may take
   * @throws AssertionError when it is not reached in that time
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
   * Lets time pass until the store holds what it should.
   *
   * @param rule what is compared, in words
   * @param limit how much virtual time it may take
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

  /** Lets others work at random while a node waits for the store's answer. */
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
     * @param node the node, which need not be named before
     * @param reconciler creates it, again for each start of the node
     */
    public Builder reconciler(String node, Supplier<? extends Reconciler<?>> reconciler) {
      reconcilers.computeIfAbsent(node, n -> new ArrayList<>()).add(reconciler);
      return this;
    }

    /** Checks something at every step. */
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
