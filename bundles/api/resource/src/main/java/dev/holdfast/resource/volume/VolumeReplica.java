package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A replica as its volume shows it.
 *
 * @param name name of the Replica
 * @param nodeID the node that has the disk
 * @param diskID the disk
 * @param mode what the engine does with it, or did before it was closed
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
