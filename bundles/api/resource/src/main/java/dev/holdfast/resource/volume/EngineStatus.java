package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * What is observed of a data path.
 *
 * @param currentState what it does now
 * @param nodeID the node on which it is open or was last open
 * @param endpoint URI for initiators while it runs with a frontend, else empty
 * @param currentSize size of the device as served
 * @param replicaModeMap what it does with each replica, by name
 * @param membership who may write and which replicas are current; changed by the data path only
 * @param conditions observed aspects, for example Ready
 * @param observedGeneration generation of the spec that this status tells of
 * @param rebuildStatus how the rebuild that the spec orders goes, by name of the replica
 * @param salvaged the id of the last salvage that was carried out
 * @param migrationNodeID the node that forwards to this engine, or is about to
 * @param migrationEndpoint URI for initiators on that node while it can serve, else empty
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
    String migrationEndpoint)
    implements EngineStatusBuilder.With {
  /** Nothing set. */
  public static final EngineStatus EMPTY =
      new EngineStatus(null, null, null, null, null, null, null, 0L);

  /** Replaces what is null by its default and copies the collections. */
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
  }

  /** An engine to which no other node forwards. */
  public EngineStatus(
      InstanceState currentState,
      String nodeID,
      String endpoint,
      Quantity currentSize,
      Map<String, ReplicaMode> replicaModeMap,
      MembershipRecord membership,
      List<Condition> conditions,
      long observedGeneration,
      Map<String, RebuildStatus> rebuildStatus,
      String salvaged) {
    this(
        currentState,
        nodeID,
        endpoint,
        currentSize,
        replicaModeMap,
        membership,
        conditions,
        observedGeneration,
        rebuildStatus,
        salvaged,
        null,
        null);
  }

  /** An engine that rebuilds and salvaged nothing. */
  public EngineStatus(
      InstanceState currentState,
      String nodeID,
      String endpoint,
      Quantity currentSize,
      Map<String, ReplicaMode> replicaModeMap,
      MembershipRecord membership,
      List<Condition> conditions,
      long observedGeneration) {
    this(
        currentState,
        nodeID,
        endpoint,
        currentSize,
        replicaModeMap,
        membership,
        conditions,
        observedGeneration,
        null,
        null);
  }
}
