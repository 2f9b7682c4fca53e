package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.StorageException;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Stage of a {@link Schedule}: the possible actions, and waits for conditions.
 *
 * @param kill ends the process of a node
 * @param losePower cuts the power of a host
 */
record Stage(
    SimulatedCluster cluster,
    SimulatedClients clients,
    SimulatedStructure structure,
    SimulatedOpenings openings,
    Consumer<SimulatedNode> kill,
    Consumer<SimulatedNode> losePower) {
  private static final int PATIENCE = 1200;
  private static final int MILLIS = 100;

  /** Waits until a condition holds. */
  void await(String what, BooleanSupplier condition) {
    for (int wait = 0; !condition.getAsBoolean(); wait++) {
      if (wait == PATIENCE) {
        throw new Violation("the schedule waits for nothing: " + what);
      }
      cluster.pause(MILLIS);
    }
  }

  /** Opens the volume on a node, and waits until it serves there. */
  SimulatedClients.Served open(int node) {
    return salvage(node, Set.of());
  }

  /** Salvages the volume on a node, and waits until it serves there. */
  SimulatedClients.Served salvage(int node, Set<String> named) {
    await("the last opening", openings::idle);
    openings.open(cluster.node(node), named);
    await("the opening on " + node, () -> serves(node));
    return clients.latest();
  }

  /** Closes the volume cleanly, and waits for the end. */
  void close(SimulatedClients.Served served) {
    boolean[] closed = new boolean[1];
    served.ended();
    cluster
        .scheduler()
        .start(
            served.process(),
            () -> {
              try {
                served.volume().close();
                closed[0] = true;
              } catch (StorageException e) {
                throw new Violation("the volume cannot be closed: " + e.getMessage());
              }
            });
    await("the end", () -> closed[0]);
  }

  private boolean serves(int node) {
    SimulatedClients.Served latest = clients.latest();
    return latest != null && latest.alive() && latest.node() == cluster.node(node);
  }

  /** Writes all blocks, and waits for the answers. */
  void writeAll(SimulatedClients.Served served) {
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      clients.write(served, block);
    }
    awaitAnswers();
  }

  /** Flushes, and waits for the answer. */
  void flush(SimulatedClients.Served served) {
    clients.flushAll(served);
    awaitAnswers();
  }

  /** Trims all blocks, and waits for the answers. */
  void trimAll(SimulatedClients.Served served) {
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      clients.trim(served, block);
    }
    awaitAnswers();
  }

  /** Takes a snapshot, and waits until it exists. */
  void snapshot(SimulatedClients.Served served) {
    structure.snapshot(served);
    await("a snapshot", () -> !structure.any().isEmpty());
  }

  void awaitAnswers() {
    cluster.pause(1);
    await("answers", () -> clients.underWay() == 0);
  }

  void awaitMode(SimulatedClients.Served served, int node, MemberMode mode) {
    String replica = cluster.node(node).location().replica();
    await(replica + " is " + mode, () -> served.volume().replicas().get(replica) == mode);
  }
}
