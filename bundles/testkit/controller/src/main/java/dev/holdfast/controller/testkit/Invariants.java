package dev.holdfast.controller.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Invariants at any time. The first violation is kept, because a reconciler in whose write it was
 * found must not be able to swallow it.
 */
final class Invariants {
  private final Map<String, Simulation.Invariant> invariants;
  private final BiFunction<String, Throwable, AssertionError> report;
  private Optional<AssertionError> violation = Optional.empty();

  /**
   * Takes over invariants by their names.
   *
   * @param report makes an error of what is wrong and its cause
   */
  Invariants(
      Map<String, Simulation.Invariant> invariants,
      BiFunction<String, Throwable, AssertionError> report) {
    this.invariants = new LinkedHashMap<>(invariants);
    this.report = report;
  }

  /** Checks all of them, unless one was broken before. */
  void check(ResourceStore store) {
    for (Map.Entry<String, Simulation.Invariant> entry : invariants.entrySet()) {
      if (violation.isPresent()) {
        return;
      }
      try {
        entry.getValue().check(store);
      } catch (StorageException | AssertionError e) {
        violation =
            Optional.of(report.apply("broken: " + entry.getKey() + ": " + e.getMessage(), e));
      }
    }
  }

  /** Fails when one was broken. */
  void requireUnbroken() {
    if (violation.isPresent()) {
      throw violation.get();
    }
  }
}
