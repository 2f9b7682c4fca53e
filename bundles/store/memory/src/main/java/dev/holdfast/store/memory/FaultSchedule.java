package dev.holdfast.store.memory;

import dev.holdfast.resource.ResourceKind;
import java.util.Random;

/** Decides which writes of a {@link FaultyResourceStore} fail. Thread-safe. */
@FunctionalInterface
public interface FaultSchedule {
  /** Faults of a write. */
  enum Fault {
    /** No fault. */
    NONE,
    /** The write fails with UNREACHABLE and is not applied. */
    BEFORE,
    /** The write is applied and fails with TIMEOUT. */
    AFTER
  }

  /** The writes. */
  enum Operation {
    /** {@link dev.holdfast.store.ResourceStore#create}. */
    CREATE,
    /** {@link dev.holdfast.store.ResourceStore#update}. */
    UPDATE,
    /** {@link dev.holdfast.store.ResourceStore#updateStatus}. */
    UPDATE_STATUS,
    /** {@link dev.holdfast.store.ResourceStore#delete}. */
    DELETE
  }

  /**
   * Decides one write. May throw an unchecked exception, which the writer receives, so that a test
   * can end a thread like a crash.
   */
  Fault next(Operation operation, ResourceKind<?> kind, String name);

  /**
   * Returns a schedule of random faults, equal for the same seed and order of writes.
   *
   * @param seed seed of the random numbers
   * @param before share of writes that fail before they are applied, 0 to 1
   * @param after share of writes that fail after they are applied, 0 to 1
   */
  static FaultSchedule seeded(long seed, double before, double after) {
    Random random = new Random(seed);
    return (operation, kind, name) -> {
      double draw = random.nextDouble();
      if (draw < before) {
        return Fault.BEFORE;
      }
      return draw < before + after ? Fault.AFTER : Fault.NONE;
    };
  }
}
