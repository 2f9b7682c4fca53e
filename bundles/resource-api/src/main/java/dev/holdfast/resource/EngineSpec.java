package dev.holdfast.resource;

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
 * @param nodeID the node it shall run on; changes only while stopped
 * @param desireState what it shall do
 */
@RecordBuilder
public record EngineSpec(
    String volume,
    String dataEngine,
    String frontend,
    boolean disableFrontend,
    Quantity size,
    String nodeID,
    DesireState desireState)
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
  }

  List<FieldError> validate() {
    return new Checks()
        .name(volume, "spec.volume")
        .that(
            desireState == DesireState.STOPPED || !nodeID.isEmpty(),
            "spec.nodeID",
            nodeID,
            "must be set when spec.desireState is running")
        .errors();
  }

  List<FieldError> validateChange(EngineSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .errors();
  }
}
