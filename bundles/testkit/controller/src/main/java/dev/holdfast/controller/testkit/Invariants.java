package dev.holdfast.controller.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Permanent invariants. The first violation is recorded, because the reconciler whose write
 * revealed it could otherwise catch the error.
 */
final class Invariants {
  private final Map<String, Simulation.Invariant> invariants;
  private final BiFunction<String, Throwable, AssertionError> report;
  private Optional<AssertionError> violation = Optional.empty();

  /**
   * Creates the checks of invariants by name.
   *
   * @param report creates an error from the violation and its cause
   */
  Invariants(
      Map<String, Simulation.Invariant> invariants,
      BiFunction<String, Throwable, AssertionError> report) {
    this.invariants = new LinkedHashMap<>(invariants);
    this.report = report;
  }

  /** Checks all invariants, unless one was already violated. */
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

  /** Throws if an invariant was violated. */
  void requireUnbroken() {
    if (violation.isPresent()) {
      throw violation.get();
    }
  }
}
