package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A replica in the status of its volume.
 *
 * @param name name of the Replica
 * @param nodeID the node with the disk; empty on a shared disk
 * @param diskID the disk; empty on a shared disk
 * @param mode role of the replica in its engine, or its last role while the engine is closed
 * @param diskUUID identity of the shared disk that holds the replica; empty on a disk of one node
 */
@RecordBuilder
public record VolumeReplica(
    String name, String nodeID, String diskID, ReplicaMode mode, String diskUUID)
    implements VolumeReplicaBuilder.With {
  /** Replaces null components by their defaults and copies the collections. */
  public VolumeReplica {
    name = Defaults.text(name);
    nodeID = Defaults.text(nodeID);
    diskID = Defaults.text(diskID);
    mode = Defaults.or(mode, ReplicaMode.ERR);
    diskUUID = Defaults.text(diskUUID);
  }
}
