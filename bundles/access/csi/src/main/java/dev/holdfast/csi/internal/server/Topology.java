package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Nodes on which volumes can be used. All nodes can use a volume, with two exceptions: a volume
 * with {@code dataLocality: strict-local} is usable on its replica's node, and a volume on a shared
 * disk on the nodes that see the disk. Thread-safe.
 */
public final class Topology {
  private final ResourceStore store;

  public Topology(ResourceStore store) {
    this.store = store;
  }

  /** Returns the segments of a node. */
  public static Csi.Topology of(Node node) {
    Map<String, String> segments = new TreeMap<>();
    segments.put(CsiNames.NODE_SEGMENT, node.name());
    Optional.ofNullable(node.metadata().labels().get(CsiNames.ZONE_SEGMENT))
        .filter(zone -> !zone.isEmpty())
        .ifPresent(zone -> segments.put(CsiNames.ZONE_SEGMENT, zone));
    return Csi.Topology.newBuilder().putAllSegments(segments).build();
  }

  /** Returns the nodes in a topology, which have all of its segments. */
  public List<Node> nodesIn(Csi.Topology topology) throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream()
        .filter(node -> isIn(node, topology))
        .toList();
  }

  private static boolean isIn(Node node, Csi.Topology topology) {
    return of(node).getSegmentsMap().entrySet().containsAll(topology.getSegmentsMap().entrySet());
  }

  /**
   * Checks that one of the requested topologies has a Holdfast node.
   *
   * @throws StatusException RESOURCE_EXHAUSTED, as the specification requires
   */
  public void requireReachable(Csi.TopologyRequirement requirement)
      throws StorageException, StatusException {
    if (requirement.getRequisiteCount() == 0) {
      return;
    }
    for (Csi.Topology topology : requirement.getRequisiteList()) {
      if (!nodesIn(topology).isEmpty()) {
        return;
      }
    }
    throw CsiStatus.exhausted(
        "accessibility_requirements: no node of Holdfast has any of the requisite topologies");
  }

  /**
   * Returns the likely first node of a volume, which the caller names first; empty if it names none
   * of our nodes.
   */
  public Optional<String> expected(Csi.TopologyRequirement requirement) throws StorageException {
    List<Csi.Topology> wanted = new ArrayList<>(requirement.getPreferredList());
    wanted.addAll(requirement.getRequisiteList());
    for (Csi.Topology topology : wanted) {
      Optional<Node> node = nodesIn(topology).stream().findFirst();
      if (node.isPresent()) {
        return node.map(Node::name);
      }
    }
    return Optional.empty();
  }

  /** Returns whether a volume is usable in one of the requested topologies. */
  public boolean suits(Volume volume, Csi.TopologyRequirement requirement) throws StorageException {
    List<Csi.Topology> accessible = accessible(volume);
    if (accessible.isEmpty() || requirement.getRequisiteCount() == 0) {
      return true;
    }
    for (Csi.Topology requisite : requirement.getRequisiteList()) {
      if (accessible.stream()
          .anyMatch(
              has ->
                  has.getSegmentsMap()
                      .entrySet()
                      .containsAll(requisite.getSegmentsMap().entrySet()))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the topologies in which a volume is usable, empty for all. */
  List<Csi.Topology> accessible(Volume volume) throws StorageException {
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    boolean oneDisk = EngineDeclaration.of(volume.spec().dataEngine(), nodes).isSharedDisk();
    if (volume.spec().dataLocality() != DataLocality.STRICT_LOCAL && !oneDisk) {
      return List.of();
    }
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      if (replica.spec().volume().equals(volume.name()) && replica.isScheduled()) {
        return nodes.stream().filter(node -> reaches(node, replica)).map(Topology::of).toList();
      }
    }
    return List.of();
  }

  private static boolean reaches(Node node, Replica replica) {
    return replica.isOnSharedDisk()
        ? replica.diskOn(node).isPresent()
        : replica.spec().nodeID().equals(node.name());
  }
}
