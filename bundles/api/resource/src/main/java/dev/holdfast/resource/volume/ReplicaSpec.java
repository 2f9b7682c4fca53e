package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The wanted state of a replica.
 *
 * @param volume name of the volume; never changes
 * @param dataEngine name of the engine that keeps the bytes; never changes
 * @param size of the volume
 * @param nodeID the node with the disk; empty until scheduled and on a shared disk, then never
 *     changes
 * @param diskID the disk; empty until scheduled and on a shared disk, then never changes
 * @param diskPath the disk's path; empty until scheduled and on a shared disk, then never changes
 * @param dataDirectoryName the folder below the disk's replicas; never changes
 * @param desireState the wanted state
 * @param failedAt time at which the engine excluded the replica; empty while the replica is usable
 * @param healthyAt time at which the replica first was up to date
 * @param lastHealthyAt time at which the replica last became up to date; never cleared
 * @param lastFailedAt time at which the engine last excluded the replica; never cleared
 * @param rebuildRetryCount number of failed rebuilds since the replica was last up to date
 * @param evictionRequested whether the replica must leave its disk after another replica is up to
 *     date; written by the volume controller only
 * @param witness whether the replica is a witness, which stores epochs without data; never changes
 * @param diskUUID identity of the shared disk that holds the replica; empty until scheduled and on
 *     a disk of one node, then never changes
 */
@RecordBuilder
public record ReplicaSpec(
    String volume,
    String dataEngine,
    Quantity size,
    String nodeID,
    String diskID,
    String diskPath,
    String dataDirectoryName,
    DesireState desireState,
    Optional<Instant> failedAt,
    Optional<Instant> healthyAt,
    Optional<Instant> lastHealthyAt,
    Optional<Instant> lastFailedAt,
    int rebuildRetryCount,
    boolean evictionRequested,
    boolean witness,
    String diskUUID)
    implements ReplicaSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final ReplicaSpec EMPTY = ReplicaSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public ReplicaSpec {
    volume = Defaults.text(volume);
    dataEngine = Defaults.or(dataEngine, "sparse");
    size = Defaults.or(size, Quantity.ZERO);
    nodeID = Defaults.text(nodeID);
    diskID = Defaults.text(diskID);
    diskPath = Defaults.text(diskPath);
    dataDirectoryName = Defaults.text(dataDirectoryName);
    desireState = Defaults.or(desireState, DesireState.STOPPED);
    failedAt = Defaults.optional(failedAt);
    healthyAt = Defaults.optional(healthyAt);
    lastHealthyAt = Defaults.optional(lastHealthyAt);
    lastFailedAt = Defaults.optional(lastFailedAt);
    diskUUID = Defaults.text(diskUUID);
  }

  List<FieldError> validate() {
    return new Checks()
        .name(volume, "spec.volume")
        .name(dataDirectoryName, "spec.dataDirectoryName")
        .that(
            nodeID.isEmpty() == diskID.isEmpty() && diskID.isEmpty() == diskPath.isEmpty(),
            "spec.diskID",
            diskID,
            "must be set together with spec.nodeID and spec.diskPath")
        .that(
            nodeID.isEmpty() || diskUUID.isEmpty(),
            "spec.diskUUID",
            diskUUID,
            "must be empty when spec.nodeID is set, because a replica on a shared disk has no node")
        .that(
            rebuildRetryCount >= 0,
            "spec.rebuildRetryCount",
            rebuildRetryCount,
            "must be at least 0")
        .errors();
  }

  List<FieldError> validateChange(ReplicaSpec earlier) {
    Checks checks =
        new Checks()
            .immutable(earlier.volume, volume, "spec.volume")
            .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
            .immutable(earlier.dataDirectoryName, dataDirectoryName, "spec.dataDirectoryName")
            .immutable(earlier.witness, witness, "spec.witness");
    if (!earlier.nodeID.isEmpty()) {
      checks
          .immutable(earlier.nodeID, nodeID, "spec.nodeID")
          .immutable(earlier.diskID, diskID, "spec.diskID")
          .immutable(earlier.diskPath, diskPath, "spec.diskPath");
    }
    if (!earlier.diskUUID.isEmpty()) {
      checks
          .immutable(earlier.diskUUID, diskUUID, "spec.diskUUID")
          .immutable(earlier.nodeID, nodeID, "spec.nodeID");
    }
    return checks.errors();
  }
}
