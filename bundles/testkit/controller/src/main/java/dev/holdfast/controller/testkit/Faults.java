package dev.holdfast.controller.testkit;

/**
 * Probabilities of the kinds of faults.
 *
 * @param crashBeforeWrite a node dies before a write reaches the store
 * @param crashAfterWrite a node dies after the store has accepted a write, before it receives the
 *     answer
 * @param lostWrite a write fails and has no effect
 * @param lostAnswer a write fails although it took effect
 * @param failedRead a read fails
 * @param lateEvent an event comes seconds late rather than milliseconds
 * @param endedWatch a watch ends at an event, so that all resources are listed again
 * @param interleaving other nodes run in the middle of a step, before one of its calls
 * @param disruption in each second of the simulation, a node dies, is isolated from the store, or
 *     pauses
 */
public record Faults(
    double crashBeforeWrite,
    double crashAfterWrite,
    double lostWrite,
    double lostAnswer,
    double failedRead,
    double lateEvent,
    double endedWatch,
    double interleaving,
    double disruption) {
  /** No faults; only the order of events is random. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0, 0, 0.2, 0);

  /**
   * All kinds of faults, frequent enough to cover every case and rare enough to permit progress.
   */
  public static final Faults ALL = new Faults(0.01, 0.01, 0.02, 0.02, 0.01, 0.05, 0.02, 0.3, 0.05);
}
