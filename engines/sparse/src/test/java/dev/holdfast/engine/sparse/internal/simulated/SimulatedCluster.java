package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.SimulatedReplica;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** The nodes, each with a replica or a witness of the volume, and the network between them. */
final class SimulatedCluster {
  static final String VOLUME = "v";

  private final Scheduler scheduler;
  private final Random random;
  private final SimulatedNetwork network;
  private final SimulatedRegister register;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final Map<String, SimulatedNode> byReplica = new TreeMap<>();
  private final boolean based;
  private int renewed;

  /**
   * Creates the cluster, with empty replicas.
   *
   * @param based whether the replicas are based on an image
   * @param count number of nodes
   * @param witness whether the last of them holds no data
   */
  SimulatedCluster(
      Scheduler scheduler, Random random, Rule without, boolean based, int count, boolean witness)
      throws IOException {
    this.based = based;
    this.scheduler = scheduler;
    this.random = random;
    this.network = new SimulatedNetwork(scheduler, random, without);
    this.register = new SimulatedRegister(scheduler, random, without);
    for (int i = 1; i <= count; i++) {
      ReplicaLocation location =
          new ReplicaLocation(
              VOLUME, "r" + i, "n" + i, Path.of("/disk-" + i), "r" + i, witness && i == count);
      SimulatedNode node = new SimulatedNode(scheduler, network, location, without);
      provision(node, "");
      network.add(node);
      nodes.add(node);
      byReplica.put(location.replica(), node);
    }
  }

  private void provision(SimulatedNode node, String suffix) throws IOException {
    String id = (node.location().witness() ? "witness-" : "id-") + node.name() + suffix;
    SimulatedReplica.provision(node.disk(), node.location(), id, SimulatedClients.SIZE);
    if (based && !node.location().witness()) {
      node.putImage();
    }
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Random random() {
    return random;
  }

  SimulatedNetwork network() {
    return network;
  }

  SimulatedRegister register() {
    return register;
  }

  List<SimulatedNode> nodes() {
    return nodes;
  }

  /** Returns the nodes by the names of their replicas, in the order of these. */
  Map<String, SimulatedNode> byReplica() {
    return byReplica;
  }

  SimulatedNode node(int number) {
    return nodes.get(number - 1);
  }

  SimulatedNode any() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  /** Returns the nodes whose replicas hold data. */
  List<SimulatedNode> holders() {
    return nodes.stream().filter(node -> !node.location().witness()).toList();
  }

  /** Lets a random time pass, at most the given one. */
  void pause(int millis) {
    scheduler.sleep(Duration.ofNanos(1 + (long) (millis * random.nextDouble() * 1e6)));
  }

  /** Replaces a replica with an unknown history by a new one, in the same directory. */
  void renew(String replica) {
    try {
      SimulatedNode node = byReplica.get(replica);
      node.disk().clear();
      provision(node, "-" + ++renewed);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
