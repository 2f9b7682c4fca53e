package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.simulation.Scheduler;
import java.util.ArrayList;
import java.util.List;

/**
 * A person's word on whose bytes count. From then on a block may hold anything that it held once,
 * unless the word was of members of the epoch in force: these have all that was flushed.
 */
final class SimulatedSalvage {
  private final List<Scheduler.Incarnation> underWay = new ArrayList<>();
  private int given;

  /** A volume is being opened by a person's word. */
  void begins(Scheduler.Incarnation process) {
    underWay.add(process);
    given++;
  }

  /** That opening is over, however it ended: what it has done by now may be found by the next. */
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
