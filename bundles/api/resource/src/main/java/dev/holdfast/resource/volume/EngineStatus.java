package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The observed state of a volume's data path.
 *
 * @param currentState the current state
 * @param nodeID the node on which the engine is open or was last open
 * @param endpoint URI for initiators while the engine runs with a frontend; otherwise empty
 * @param currentSize size of the device as served
 * @param replicaModeMap the mode of each replica, by name
 * @param membership the writing generation and the members; changed by the data path only
 * @param conditions observed aspects, for example Ready
 * @param observedGeneration generation of the spec that this status describes
 * @param rebuildStatus progress of the requested rebuild, by name of the replica
 * @param salvaged id of the last salvage that was applied
 * @param migrationNodeID the node that forwards to this engine, or is about to
 * @param migrationEndpoint URI for initiators on that node while it can serve; otherwise empty
 * @param servingNodes further nodes that forward to this engine, or are about to, by name
 * @param activeNodeID the node that uses the disk of the volume for all nodes; empty while unknown,
 *     and for engines without the capability PLACEMENT
 */
@RecordBuilder
public record EngineStatus(
    InstanceState currentState,
    String nodeID,
    String endpoint,
    Quantity currentSize,
    Map<String, ReplicaMode> replicaModeMap,
    MembershipRecord membership,
    List<Condition> conditions,
    long observedGeneration,
    Map<String, RebuildStatus> rebuildStatus,
    String salvaged,
    String migrationNodeID,
    String migrationEndpoint,
    Map<String, ServingNode> servingNodes,
    String activeNodeID)
    implements EngineStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final EngineStatus EMPTY = EngineStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public EngineStatus {
    currentState = Defaults.or(currentState, InstanceState.STOPPED);
    nodeID = Defaults.text(nodeID);
    endpoint = Defaults.text(endpoint);
    currentSize = Defaults.or(currentSize, Quantity.ZERO);
    replicaModeMap = Defaults.map(replicaModeMap);
    membership = Defaults.or(membership, MembershipRecord.EMPTY);
    conditions = Defaults.list(conditions);
    rebuildStatus = Defaults.map(rebuildStatus);
    salvaged = Defaults.text(salvaged);
    migrationNodeID = Defaults.text(migrationNodeID);
    migrationEndpoint = Defaults.text(migrationEndpoint);
    servingNodes = Defaults.map(servingNodes);
    activeNodeID = Defaults.text(activeNodeID);
  }

  /**
   * Returns the nodes that forward to this engine, or are about to, sorted.
   *
   * @since 1.1
   */
  public Set<String> forwardingNodes() {
    Set<String> nodes = new TreeSet<>(servingNodes.keySet());
    if (!migrationNodeID.isEmpty()) {
      nodes.add(migrationNodeID);
    }
    return nodes;
  }

  /**
   * Returns the URI for initiators on a node that forwards to this engine.
   *
   * @param node name of a node, not null
   * @return empty while that node cannot serve
   * @since 1.1
   */
  public String forwardingEndpoint(String node) {
    boolean migrates = migrationNodeID.equals(node) && !migrationEndpoint.isEmpty();
    return migrates
        ? migrationEndpoint
        : servingNodes.getOrDefault(node, ServingNode.EMPTY).endpoint();
  }
}
