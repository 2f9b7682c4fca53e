package dev.holdfast.controller.testkit;

import java.time.Duration;
import java.util.List;

/** Random disruptions of nodes: crashes, isolation from the store, and pauses. */
final class Disruptions {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int LONGEST_MILLIS = 40_000;

  private final Simulation simulation;
  private final List<SimulatedNode> nodes;

  Disruptions(Simulation simulation, List<SimulatedNode> nodes) {
    this.simulation = simulation;
    this.nodes = nodes;
  }

  /** Plans the next disruption. */
  void plan() {
    simulation.after(
        PERIOD,
        store -> {
          disrupt();
          plan();
        });
  }

  private void disrupt() {
    if (!simulation.happens(simulation.faults().disruption())) {
      return;
    }
    SimulatedNode node = nodes.get(simulation.random().nextInt(nodes.size()));
    Duration time = Duration.ofMillis(simulation.random().nextInt(LONGEST_MILLIS));
    switch (simulation.random().nextInt(3)) {
      case 0 -> simulation.crash(node.name());
      case 1 -> node.cutOff(time);
      default -> node.standStill(time);
    }
  }
}
