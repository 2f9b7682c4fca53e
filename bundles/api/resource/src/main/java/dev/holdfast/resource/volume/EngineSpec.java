package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.stream.Stream;

/**
 * The wanted state of a volume's data path.
 *
 * @param volume name of the volume; never changes
 * @param dataEngine name of the engine that keeps the bytes; never changes
 * @param frontend name of the frontend by which hosts reach the volume
 * @param disableFrontend whether it runs without a frontend
 * @param size of the device
 * @param nodeID the node on which the engine runs; changes only while the engine is stopped, or to
 *     the node that forwards to it
 * @param desireState the wanted state
 * @param rebuildReplica the replica to rebuild; empty for none
 * @param rebuildAttempt number of the rebuild request; increases with each request
 * @param rebuildBytesPerSecond the copy rate limit of a rebuild; 0 for no limit; may change at any
 *     time
 * @param removedReplicas replicas to remove from the members
 * @param salvage replicas whose content an administrator declares valid for the next opening;
 *     applied once, see {@code status.salvaged}
 * @param flushedOnly whether a part of the members suffices to open after a power failure;
 *     acknowledged writes that were not flushed may be lost
 * @param unmapMarkSnapChainRemoved whether a trim removes the snapshots that prevent it from
 *     reclaiming space; may change at any time
 * @param migrationNodeID the node that also serves the volume by forwarding to the engine's node;
 *     empty for none
 * @param servingNodeIDs further nodes that serve the volume by forwarding to the engine's node
 */
@RecordBuilder
public record EngineSpec(
    String volume,
    String dataEngine,
    String frontend,
    boolean disableFrontend,
    Quantity size,
    String nodeID,
    DesireState desireState,
    String rebuildReplica,
    long rebuildAttempt,
    Quantity rebuildBytesPerSecond,
    List<String> removedReplicas,
    SalvageRequest salvage,
    boolean flushedOnly,
    boolean unmapMarkSnapChainRemoved,
    String migrationNodeID,
    List<String> servingNodeIDs)
    implements EngineSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final EngineSpec EMPTY = EngineSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public EngineSpec {
    volume = Defaults.text(volume);
    dataEngine = Defaults.or(dataEngine, "sparse");
    frontend = Defaults.or(frontend, "nbd");
    size = Defaults.or(size, Quantity.ZERO);
    nodeID = Defaults.text(nodeID);
    desireState = Defaults.or(desireState, DesireState.STOPPED);
    rebuildReplica = Defaults.text(rebuildReplica);
    rebuildBytesPerSecond = Defaults.or(rebuildBytesPerSecond, Quantity.ZERO);
    removedReplicas = Defaults.list(removedReplicas);
    salvage = Defaults.or(salvage, SalvageRequest.NONE);
    migrationNodeID = Defaults.text(migrationNodeID);
    servingNodeIDs = Defaults.list(servingNodeIDs);
  }

  List<FieldError> validate() {
    return salvage
        .checked(new Checks(), "spec.salvage")
        .name(volume, "spec.volume")
        .optionalName(rebuildReplica, "spec.rebuildReplica")
        .that(
            desireState == DesireState.STOPPED || !nodeID.isEmpty(),
            "spec.nodeID",
            nodeID,
            "must be set when spec.desireState is running")
        .optionalName(migrationNodeID, "spec.migrationNodeID")
        .that(
            migrationNodeID.isEmpty() || !migrationNodeID.equals(nodeID),
            "spec.migrationNodeID",
            migrationNodeID,
            "must be another node than spec.nodeID")
        .that(
            !servingNodeIDs.contains(nodeID) && !servingNodeIDs.contains(migrationNodeID),
            "spec.servingNodeIDs",
            servingNodeIDs,
            "must contain neither spec.nodeID nor spec.migrationNodeID")
        .errors();
  }

  /**
   * Returns the nodes that serve the volume by forwarding to the engine's node. The node that can
   * take over is first.
   *
   * @since 1.1
   */
  public List<String> forwardingNodes() {
    return Stream.concat(
            Stream.of(migrationNodeID).filter(node -> !node.isEmpty()), servingNodeIDs.stream())
        .toList();
  }

  List<FieldError> validateChange(EngineSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .errors();
  }
}
