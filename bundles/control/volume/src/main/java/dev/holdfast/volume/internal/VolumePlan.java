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
 * The writes of one step, in this order.
 *
 * @param newAttachment attachment to create
 * @param newReplicas replicas to create
 * @param newEngine engine to create
 * @param replicas replicas with a changed spec
 * @param owners replicas on shared disks whose owner changes, in their status
 * @param engine engine with a changed spec
 * @param released replicas on deleted nodes, which cannot remove the finalizers
 * @param deleted replicas to delete
 * @param spec changed spec of the volume, if any
 * @param status new status of the volume
 * @param disposal whether to delete the parts, and afterwards the finalizer
 * @param deletion whether to delete the volume itself
 * @param again time of the next check without a change
 * @param notes events to record after all writes
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
