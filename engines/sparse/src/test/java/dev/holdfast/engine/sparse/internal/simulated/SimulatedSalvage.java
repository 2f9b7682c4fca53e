package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.simulation.Scheduler;
import java.util.ArrayList;
import java.util.List;

/**
 * Salvages that are in progress. From then on a block may hold anything that it held once, unless
 * the word was of members of the epoch in force: these have all that was flushed.
 */
final class SimulatedSalvage {
  private final List<Scheduler.Incarnation> underWay = new ArrayList<>();
  private int given;

  /** A salvage starts. */
  void begins(Scheduler.Incarnation process) {
    underWay.add(process);
    given++;
  }

  /** That opening has ended with any result: the next one may find its changes. */
  void ends(Scheduler.Incarnation process) {
    underWay.remove(process);
  }

  /** Returns how many words were given that the opening which serves now may have built upon. */
  int taken() {
    underWay.removeIf(Scheduler.Incarnation::dead);
    int taken = given;
    given = underWay.size();
    return taken;
  }
}
