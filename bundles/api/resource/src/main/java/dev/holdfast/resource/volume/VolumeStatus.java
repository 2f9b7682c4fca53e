package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

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
 * @param currentMigrationNodeID the node on which it is ready to go on, while it moves there in use
 * @param shareEndpoint URI of the share while a share manager exports the volume, else empty
 * @param currentSize size that the device has; smaller than the spec's until an expansion is done
 * @param expansionRequired whether the volume has to be attached to get the size that is wanted
 * @param lastDegradedAt since when it has too few current replicas, empty while it has enough
 * @param cloneStatus how far the copy is that is its first content
 * @param migrationEndpoint URI for initiators on the node in currentMigrationNodeID while it can
 *     serve there, else empty
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
    long observedGeneration,
    String currentMigrationNodeID,
    String shareEndpoint,
    Quantity currentSize,
    boolean expansionRequired,
    Optional<Instant> lastDegradedAt,
    CloneStatus cloneStatus,
    String migrationEndpoint)
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
    currentMigrationNodeID = Defaults.text(currentMigrationNodeID);
    shareEndpoint = Defaults.text(shareEndpoint);
    currentSize = Defaults.or(currentSize, Quantity.ZERO);
    lastDegradedAt = Defaults.optional(lastDegradedAt);
    cloneStatus = Defaults.or(cloneStatus, CloneStatus.EMPTY);
    migrationEndpoint = Defaults.text(migrationEndpoint);
  }

  /** A volume that is served on one node at most. */
  public VolumeStatus(
      VolumeState state,
      Robustness robustness,
      String currentNodeID,
      String endpoint,
      Quantity actualSize,
      List<VolumeReplica> replicas,
      List<Condition> conditions,
      long observedGeneration,
      String currentMigrationNodeID,
      String shareEndpoint,
      Quantity currentSize,
      boolean expansionRequired,
      Optional<Instant> lastDegradedAt,
      CloneStatus cloneStatus) {
    this(
        state,
        robustness,
        currentNodeID,
        endpoint,
        actualSize,
        replicas,
        conditions,
        observedGeneration,
        currentMigrationNodeID,
        shareEndpoint,
        currentSize,
        expansionRequired,
        lastDegradedAt,
        cloneStatus,
        null);
  }

  /** A volume that neither moves in use nor is shared. */
  public VolumeStatus(
      VolumeState state,
      Robustness robustness,
      String currentNodeID,
      String endpoint,
      Quantity actualSize,
      List<VolumeReplica> replicas,
      List<Condition> conditions,
      long observedGeneration) {
    this(
        state,
        robustness,
        currentNodeID,
        endpoint,
        actualSize,
        replicas,
        conditions,
        observedGeneration,
        null,
        null,
        null,
        false,
        Optional.empty(),
        null);
  }
}
