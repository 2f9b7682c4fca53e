package dev.holdfast.store.memory;

import dev.holdfast.resource.ResourceKind;
import java.util.Random;

/** Decides which writes of a {@link FaultyResourceStore} fail. For any number of threads. */
@FunctionalInterface
public interface FaultSchedule {
  /** Faults of a write. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** It fails with UNREACHABLE and is not applied. */
    BEFORE,
    /** It is applied and fails with TIMEOUT. */
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
   * Decides about one write. May throw an unchecked exception, which the writer then meets: so a
   * test can end a thread as a crash would.
   */
  Fault next(Operation operation, ResourceKind<?> kind, String name);

  /**
   * Faults at random, the same for the same seed and order of writes.
   *
   * @param seed of the random numbers
   * @param before share of the writes that fail before, 0 to 1
   * @param after share of the writes that fail after, 0 to 1
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
