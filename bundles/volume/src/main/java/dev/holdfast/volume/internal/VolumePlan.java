package dev.holdfast.volume.internal;

import dev.holdfast.resource.Engine;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.VolumeAttachment;
import dev.holdfast.resource.VolumeStatus;
import java.util.List;
import java.util.Optional;

/**
 * What one step writes, in this order.
 *
 * @param newAttachment to be created
 * @param newReplicas to be created
 * @param newEngine to be created
 * @param replicas whose spec changes
 * @param engine whose spec changes
 * @param status of the volume
 * @param disposal whether the parts are to be deleted, and the finalizer when they are gone
 */
record VolumePlan(
    Optional<VolumeAttachment> newAttachment,
    List<Replica> newReplicas,
    Optional<Engine> newEngine,
    List<Replica> replicas,
    Optional<Engine> engine,
    VolumeStatus status,
    boolean disposal) {
  VolumePlan {
    newReplicas = List.copyOf(newReplicas);
    replicas = List.copyOf(replicas);
  }

  boolean changesNothing(VolumeStatus present) {
    return newAttachment.isEmpty()
        && newReplicas.isEmpty()
        && newEngine.isEmpty()
        && replicas.isEmpty()
        && engine.isEmpty()
        && status.equals(present)
        && !disposal;
  }
}
