package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What is observed of a volume.
 *
 * @param state where it is on its way to and from a node
 * @param robustness how well its data is kept
 * @param currentNodeID the node it is attached to: set when fully attached, cleared when fully
 *     detached
 * @param endpoint URI for initiators while attached with a frontend, else empty
 * @param actualSize what one replica takes on its disk
 * @param replicas its replicas, by name
 * @param conditions observed aspects, for example Scheduled
 * @param observedGeneration generation of the spec that this status tells of
 */
@RecordBuilder
public record VolumeStatus(
    VolumeState state,
    Robustness robustness,
    String currentNodeID,
    String endpoint,
    Quantity actualSize,
    List<VolumeReplica> replicas,
    List<Condition> conditions,
    long observedGeneration)
    implements VolumeStatusBuilder.With {
  /** Nothing set. */
  public static final VolumeStatus EMPTY =
      new VolumeStatus(null, null, null, null, null, null, null, 0L);

  /** Replaces what is null by its default and copies the collections. */
  public VolumeStatus {
    state = Defaults.or(state, VolumeState.CREATING);
    robustness = Defaults.or(robustness, Robustness.UNKNOWN);
    currentNodeID = Defaults.text(currentNodeID);
    endpoint = Defaults.text(endpoint);
    actualSize = Defaults.or(actualSize, Quantity.ZERO);
    replicas = Defaults.list(replicas);
    conditions = Defaults.list(conditions);
  }
}
