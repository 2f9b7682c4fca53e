package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All nodes and their relation to replicas. An unreachable node still exists with its data; an
 * absent node was deleted by a user.
 *
 * @param all the nodes
 * @param imageDisks UUIDs of the disks with a verified copy of the volume's backing image
 */
record NodeInventory(List<Node> all, Set<String> imageDisks) {
  static final String ZONE = "topology.kubernetes.io/zone";

  /** Capability of an engine whose replicas may be on other nodes. */
  static final String REMOTE_REPLICAS = "REMOTE_REPLICAS";

  static final String REBUILD = "REBUILD";
  static final String REPLICA_REMOVAL = "REPLICA_REMOVAL";

  NodeInventory {
    all = List.copyOf(all);
    imageDisks = Set.copyOf(imageDisks);
  }

  /** Returns the nodes for a volume without a backing image. */
  static NodeInventory of(List<Node> nodes) {
    return new NodeInventory(nodes, Set.of());
  }

  /** Returns whether a replica on a disk need not wait for the volume's backing image. */
  boolean hasImage(String node, String disk) {
    return find(node)
        .map(found -> found.status().diskStatus().getOrDefault(disk, DiskStatus.EMPTY).diskUUID())
        .filter(imageDisks::contains)
        .isPresent();
  }

  Optional<Node> find(String name) {
    return all.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  boolean isReady(String name) {
    return find(name).filter(NodeInventory::isReady).isPresent();
  }

  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }

  /** Returns the zone of a node, empty if it has none or was deleted. */
  String zone(String name) {
    return find(name).map(node -> node.metadata().labels().getOrDefault(ZONE, "")).orElse("");
  }

  /**
   * Returns whether a user removed the replica's node or disk with its data. The removal of a node
   * keeps shared disks.
   */
  boolean isGivenUp(Replica replica) {
    String node = replica.spec().nodeID();
    return !node.isEmpty()
        && find(node).filter(n -> n.spec().disks().containsKey(replica.spec().diskID())).isEmpty();
  }

  boolean isNodeGone(Replica replica) {
    return !replica.spec().nodeID().isEmpty() && find(replica.spec().nodeID()).isEmpty();
  }

  /** Returns whether the replica must leave its disk. */
  boolean isEvicting(Replica replica) {
    return find(replica.spec().nodeID())
        .filter(
            node ->
                node.spec().evictionRequested()
                    || disk(node, replica).filter(DiskSpec::evictionRequested).isPresent())
        .isPresent();
  }

  /** Returns whether the replica's node and disk are usable now. */
  boolean isUsable(Replica replica) {
    return !seeing(replica).isEmpty();
  }

  /**
   * Returns the ready nodes that can use the replica's disk now: its node, or all nodes that see a
   * shared disk.
   */
  List<Node> seeing(Replica replica) {
    return all.stream()
        .filter(NodeInventory::isReady)
        .filter(node -> replica.diskOn(node).filter(node::isDiskReady).isPresent())
        .toList();
  }

  /** Returns why other nodes reject a disk that this node also sees; empty if they accept it. */
  Optional<String> refusedElsewhere(Node node, String diskID) {
    String uuid = node.status().diskStatus().getOrDefault(diskID, DiskStatus.EMPTY).diskUUID();
    for (Node other : all) {
      Optional<DiskSpec> same = other.diskWithIdentity(uuid).map(other.spec().disks()::get);
      if (same.filter(disk -> !disk.allowScheduling() || disk.evictionRequested()).isPresent()) {
        return Optional.of(
            "node " + other.name() + ", which sees it too, does not allow scheduling");
      }
    }
    return Optional.empty();
  }

  /** Returns the declarations of an engine from all nodes. */
  EngineDeclaration declared(String engine) {
    return EngineDeclaration.of(engine, all);
  }

  /**
   * Returns whether engines of unreachable nodes cannot write to a replica after a later opening.
   * For that, the node that reconciles the replica must be unreachable and the engine must declare
   * its fencing. On a shared disk another node becomes the owner and reports.
   */
  boolean isFencedFromSilentNode(Replica replica) {
    return !isReady(replica.ownerNode()) && declared(replica.spec().dataEngine()).isFenced();
  }

  private static Optional<DiskSpec> disk(Node node, Replica replica) {
    return Optional.ofNullable(node.spec().disks().get(replica.spec().diskID()));
  }

  /** Returns whether an engine on a node declares a capability. */
  boolean can(String node, String engine, String capability) {
    return find(node)
        .map(n -> n.status().engineCapabilities().getOrDefault(engine, List.of()))
        .filter(capabilities -> capabilities.contains(capability))
        .isPresent();
  }

  /** Returns whether an engine declares on any node that all replicas must be on its own node. */
  boolean isLocalOnly(String engine) {
    return all.stream()
        .map(node -> node.status().engineCapabilities().get(engine))
        .anyMatch(said -> said != null && !said.contains(REMOTE_REPLICAS));
  }
}
