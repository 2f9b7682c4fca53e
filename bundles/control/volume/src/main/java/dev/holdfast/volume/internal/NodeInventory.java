package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.util.List;
import java.util.Optional;

/**
 * All nodes, and what they mean for replicas. A node that is not heard of is still there, with all
 * that it holds; one that is not in the list was deleted by a person.
 */
record NodeInventory(List<Node> all) {
  static final String ZONE = "topology.kubernetes.io/zone";

  /** Capability of an engine whose replicas may be on other nodes. */
  static final String REMOTE_REPLICAS = "REMOTE_REPLICAS";

  static final String REBUILD = "REBUILD";
  static final String REPLICA_REMOVAL = "REPLICA_REMOVAL";

  NodeInventory {
    all = List.copyOf(all);
  }

  Optional<Node> find(String name) {
    return all.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  boolean isReady(String name) {
    return find(name).filter(NodeInventory::isReady).isPresent();
  }

  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), "Ready");
  }

  /** Returns the zone of a node, empty when it has none or is gone. */
  String zone(String name) {
    return find(name).map(node -> node.metadata().labels().getOrDefault(ZONE, "")).orElse("");
  }

  /** Whether the replica's node or disk was taken away by a person, with what it held. */
  boolean isGivenUp(Replica replica) {
    String node = replica.spec().nodeID();
    return !node.isEmpty()
        && find(node).filter(n -> n.spec().disks().containsKey(replica.spec().diskID())).isEmpty();
  }

  boolean isNodeGone(Replica replica) {
    return !replica.spec().nodeID().isEmpty() && find(replica.spec().nodeID()).isEmpty();
  }

  /** Whether the replica shall leave its disk. */
  boolean isEvicting(Replica replica) {
    return find(replica.spec().nodeID())
        .filter(
            node ->
                node.spec().evictionRequested()
                    || disk(node, replica).filter(DiskSpec::evictionRequested).isPresent())
        .isPresent();
  }

  /** Whether the replica's node and disk can be worked with now. */
  boolean isUsable(Replica replica) {
    return find(replica.spec().nodeID())
        .filter(NodeInventory::isReady)
        .filter(node -> disk(node, replica).isPresent())
        .map(
            node ->
                node.status().diskStatus().getOrDefault(replica.spec().diskID(), DiskStatus.EMPTY))
        .filter(status -> Condition.isTrue(status.conditions(), "Ready"))
        .isPresent();
  }

  private static Optional<DiskSpec> disk(Node node, Replica replica) {
    return Optional.ofNullable(node.spec().disks().get(replica.spec().diskID()));
  }

  /** Whether an engine on a node says that it can do something. */
  boolean can(String node, String engine, String capability) {
    return find(node)
        .map(n -> n.status().engineCapabilities().getOrDefault(engine, List.of()))
        .filter(capabilities -> capabilities.contains(capability))
        .isPresent();
  }

  /** Whether an engine says somewhere that all replicas must be on its own node. */
  boolean isLocalOnly(String engine) {
    return all.stream()
        .map(node -> node.status().engineCapabilities().get(engine))
        .anyMatch(said -> said != null && !said.contains(REMOTE_REPLICAS));
  }
}
