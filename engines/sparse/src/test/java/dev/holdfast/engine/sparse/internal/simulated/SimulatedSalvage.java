package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.simulation.Scheduler;
import java.util.ArrayList;
import java.util.List;

/**
 * Salvages in progress. After a salvage a block may have any earlier value, unless the salvaged
 * replicas are members of the current epoch, which have all flushed data.
 */
final class SimulatedSalvage {
  private final List<Scheduler.Incarnation> underWay = new ArrayList<>();
  private int given;

  /** A salvage starts. */
  void begins(Scheduler.Incarnation process) {
    underWay.add(process);
    given++;
  }

  /** Records that the opening has ended with any result. The next opening may find its changes. */
  void ends(Scheduler.Incarnation process) {
    underWay.remove(process);
  }

  /** Returns the number of salvages on which the serving opening may be based. */
  int taken() {
    underWay.removeIf(Scheduler.Incarnation::dead);
    int taken = given;
    given = underWay.size();
    return taken;
  }
}
