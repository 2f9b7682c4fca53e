package dev.holdfast.volume.internal;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Writes of one step, in this order.
 *
 * @param newAttachment to be created
 * @param newReplicas to be created
 * @param newEngine to be created
 * @param replicas whose spec changes
 * @param owners replicas on shared disks whose owner changes, in their status
 * @param engine whose spec changes
 * @param released replicas on nodes that were deleted: no node removes their finalizers
 * @param deleted replicas that are to be deleted
 * @param spec of the volume, when it changes
 * @param status of the volume
 * @param disposal whether the parts are to be deleted, and the finalizer when they are gone
 * @param deletion whether the volume itself is to be deleted
 * @param again when to look again, though nothing changes
 * @param notes events to record when everything is written
 */
record VolumePlan(
    Optional<VolumeAttachment> newAttachment,
    List<Replica> newReplicas,
    Optional<Engine> newEngine,
    List<Replica> replicas,
    List<Replica> owners,
    Optional<Engine> engine,
    List<Replica> released,
    List<Replica> deleted,
    Optional<VolumeSpec> spec,
    VolumeStatus status,
    boolean disposal,
    boolean deletion,
    Optional<Duration> again,
    List<Note> notes) {
  VolumePlan {
    newReplicas = List.copyOf(newReplicas);
    replicas = List.copyOf(replicas);
    owners = List.copyOf(owners);
    released = List.copyOf(released);
    deleted = List.copyOf(deleted);
    notes = List.copyOf(notes);
  }

  /** An event to record once. */
  record Note(boolean warning, String reason, String message) {}

  boolean changesNothing(VolumeStatus present) {
    return newAttachment.isEmpty()
        && newReplicas.isEmpty()
        && newEngine.isEmpty()
        && replicas.isEmpty()
        && owners.isEmpty()
        && engine.isEmpty()
        && released.isEmpty()
        && deleted.isEmpty()
        && spec.isEmpty()
        && status.equals(present)
        && !disposal
        && !deletion;
  }

  VolumePlan withEngine(Optional<Engine> changed) {
    return new VolumePlan(
        newAttachment,
        newReplicas,
        newEngine,
        replicas,
        owners,
        changed,
        released,
        deleted,
        spec,
        status,
        disposal,
        deletion,
        again,
        notes);
  }

  VolumePlan withReplicas(List<Replica> changed) {
    return new VolumePlan(
        newAttachment,
        newReplicas,
        newEngine,
        changed,
        owners,
        engine,
        released,
        deleted,
        spec,
        status,
        disposal,
        deletion,
        again,
        notes);
  }

  VolumePlan withDeleted(List<Replica> changed) {
    return new VolumePlan(
        newAttachment,
        newReplicas,
        newEngine,
        replicas,
        owners,
        engine,
        released,
        changed,
        spec,
        status,
        disposal,
        deletion,
        again,
        notes);
  }

  VolumePlan withStatus(VolumeStatus changed) {
    return new VolumePlan(
        newAttachment,
        newReplicas,
        newEngine,
        replicas,
        owners,
        engine,
        released,
        deleted,
        spec,
        changed,
        disposal,
        deletion,
        again,
        notes);
  }
}
