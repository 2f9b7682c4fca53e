package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What is wanted of a data path.
 *
 * @param volume whose data path this is; never changes
 * @param dataEngine what keeps the bytes; never changes
 * @param frontend how a host reaches it
 * @param disableFrontend whether it runs without a frontend
 * @param size of the device
 * @param nodeID the node it shall run on; changes only while stopped, or to the node that forwards
 *     to it
 * @param desireState what it shall do
 * @param rebuildReplica the replica that shall be made current, empty for none
 * @param rebuildAttempt tells one order to rebuild from another: rises with each
 * @param rebuildBytesPerSecond the most a rebuild may copy, 0 for no limit; may change at any time
 * @param removedReplicas replicas that shall not be members any more
 * @param salvage replicas whose content counts at the next opening; carried out once, see {@code
 *     status.salvaged}
 * @param flushedOnly whether after a loss of power a part of the current replicas is enough to
 *     open, at the price of writes that were acknowledged but not flushed
 * @param unmapMarkSnapChainRemoved whether a trim gives up the snapshots that keep it from
 *     reclaiming space; may change at any time
 * @param migrationNodeID the node that serves the volume too, by forwarding to the one that has it
 *     open, empty for none
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
    String migrationNodeID)
    implements EngineSpecBuilder.With {
  /** Nothing set. */
  public static final EngineSpec EMPTY = new EngineSpec(null, null, null, false, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
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
  }

  /** An engine whose trims give up no snapshots, and to which no other node forwards. */
  public EngineSpec(
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
      boolean flushedOnly) {
    this(
        volume,
        dataEngine,
        frontend,
        disableFrontend,
        size,
        nodeID,
        desireState,
        rebuildReplica,
        rebuildAttempt,
        rebuildBytesPerSecond,
        removedReplicas,
        salvage,
        flushedOnly,
        false,
        null);
  }

  /** An engine whose replicas stay as they are. */
  public EngineSpec(
      String volume,
      String dataEngine,
      String frontend,
      boolean disableFrontend,
      Quantity size,
      String nodeID,
      DesireState desireState) {
    this(
        volume,
        dataEngine,
        frontend,
        disableFrontend,
        size,
        nodeID,
        desireState,
        null,
        0L,
        null,
        null,
        null,
        false);
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
        .errors();
  }

  List<FieldError> validateChange(EngineSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .errors();
  }
}
