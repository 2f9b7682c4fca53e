package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A replica in the status of its volume.
 *
 * @param name name of the Replica
 * @param nodeID the node that has the disk
 * @param diskID the disk
 * @param mode role of the replica in its engine, or its last role while the engine is closed
 */
@RecordBuilder
public record VolumeReplica(String name, String nodeID, String diskID, ReplicaMode mode)
    implements VolumeReplicaBuilder.With {
  /** Replaces what is null by its default and copies the collections. */
  public VolumeReplica {
    name = Defaults.text(name);
    nodeID = Defaults.text(nodeID);
    diskID = Defaults.text(diskID);
    mode = Defaults.or(mode, ReplicaMode.ERR);
  }
}
