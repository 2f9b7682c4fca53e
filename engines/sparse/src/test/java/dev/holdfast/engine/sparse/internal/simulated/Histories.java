package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.simulation.Instrumented;
import dev.holdfast.engine.sparse.simulation.Outcome;
import dev.holdfast.engine.sparse.simulation.Rule;
import java.lang.reflect.Constructor;
import java.util.concurrent.Callable;

/** Runs histories of the engine's instrumented classes, with all rules or without one rule. */
final class Histories {
  private static final String SIMULATION =
      "dev.holdfast.engine.sparse.internal.simulated.Simulation";

  private final Rule without;
  private final Rule towards;
  private final Instrumented classes;
  private final Constructor<?> simulation;

  /**
   * Loads the classes.
   *
   * @param without the removed rule
   * @param towards the rule whose absence the histories must show
   */
  Histories(Rule without, Rule towards) throws ReflectiveOperationException {
    this.without = without;
    this.towards = towards;
    this.classes = new Instrumented(without);
    this.simulation =
        Class.forName(SIMULATION, true, classes)
            .getDeclaredConstructor(long.class, Rule.class, Rule.class);
    simulation.setAccessible(true);
  }

  /** Returns whether all edits that remove the rule were applied. */
  boolean planted() {
    return classes.planted();
  }

  /** Runs the history of a seed. */
  @SuppressWarnings("unchecked") // The class is loaded by name, in its instrumented form.
  Outcome play(long seed) throws Exception {
    return ((Callable<Outcome>) simulation.newInstance(seed, without, towards)).call();
  }

  /** Returns whether the history of a seed breaks a guarantee. */
  boolean breaks(long seed) throws Exception {
    try {
      play(seed);
      return false;
    } catch (RuntimeException | Error e) {
      return true;
    }
  }
}
