package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.restore.StandbyStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The observed state of a volume.
 *
 * @param state state of the attachment to a node
 * @param robustness redundancy of the data
 * @param currentNodeID the node to which the volume is attached: set when fully attached, cleared
 *     when fully detached
 * @param endpoint URI for initiators while attached with a frontend; otherwise empty
 * @param actualSize bytes that one replica occupies on its disk
 * @param replicas the replicas, sorted by name
 * @param conditions observed aspects, for example Scheduled
 * @param observedGeneration generation of the spec that this status describes
 * @param currentMigrationNodeID the node that can serve the volume too, during a live migration;
 *     otherwise empty
 * @param shareState state of the share; empty while the volume has none
 * @param shareEndpoint URI of the share while a share manager exports the volume; otherwise empty
 * @param currentSize size of the device; smaller than the size in the spec until an expansion is
 *     complete
 * @param expansionRequired whether the volume must be attached to reach the wanted size
 * @param lastDegradedAt time since which the volume has too few healthy replicas; empty while it
 *     has enough
 * @param cloneStatus progress of the copy that provides the first content
 * @param restore progress of the restore that provides the first content
 * @param migrationEndpoint URI for initiators on the node in currentMigrationNodeID while it can
 *     serve; otherwise empty
 * @param activeEngine name of the engine that serves the volume; empty until the volume's
 *     controller has recorded it
 * @param servingEndpoints URI for initiators on each further node that serves or may still serve
 *     the volume, by node name; empty while that node cannot serve
 * @param standby progress of a volume that follows the backups of another one
 * @param trim outcome of the request in spec.trimRequest
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
    Optional<InstanceState> shareState,
    String shareEndpoint,
    Quantity currentSize,
    boolean expansionRequired,
    Optional<Instant> lastDegradedAt,
    CloneStatus cloneStatus,
    RestoreStatus restore,
    String migrationEndpoint,
    String activeEngine,
    Map<String, String> servingEndpoints,
    StandbyStatus standby,
    RequestOutcome trim)
    implements VolumeStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final VolumeStatus EMPTY = VolumeStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public VolumeStatus {
    state = Defaults.or(state, VolumeState.CREATING);
    robustness = Defaults.or(robustness, Robustness.UNKNOWN);
    currentNodeID = Defaults.text(currentNodeID);
    endpoint = Defaults.text(endpoint);
    actualSize = Defaults.or(actualSize, Quantity.ZERO);
    replicas = Defaults.list(replicas);
    conditions = Defaults.list(conditions);
    currentMigrationNodeID = Defaults.text(currentMigrationNodeID);
    shareState = Defaults.optional(shareState);
    shareEndpoint = Defaults.text(shareEndpoint);
    currentSize = Defaults.or(currentSize, Quantity.ZERO);
    lastDegradedAt = Defaults.optional(lastDegradedAt);
    cloneStatus = Defaults.or(cloneStatus, CloneStatus.EMPTY);
    restore = Defaults.or(restore, RestoreStatus.EMPTY);
    migrationEndpoint = Defaults.text(migrationEndpoint);
    activeEngine = Defaults.text(activeEngine);
    servingEndpoints = Defaults.map(servingEndpoints);
    standby = Defaults.or(standby, StandbyStatus.EMPTY);
    trim = Defaults.or(trim, RequestOutcome.EMPTY);
  }

  /**
   * Returns whether a node serves the volume, or may still serve it, by forwarding to the engine's
   * node.
   *
   * @param node name of a node, not null
   * @since 1.1
   */
  public boolean isForwardedBy(String node) {
    return !node.isEmpty()
        && (node.equals(currentMigrationNodeID) || servingEndpoints.containsKey(node));
  }
}
