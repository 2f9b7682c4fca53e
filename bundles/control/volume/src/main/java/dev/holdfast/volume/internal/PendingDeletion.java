package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeDeletion;
import dev.holdfast.resource.volume.DeletionCondition;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;

/**
 * The deletion of a volume that waits for its detachment. A deletion timestamp is final: Kubernetes
 * accepts one for an attached volume, because kubectl does not consult this system. {@code
 * spec.deleteWhenDetached} may be reset until the volume is detached. The detachment is first
 * recorded in the status, so that a late reset is rejected.
 */
final class PendingDeletion {
  private final Volume volume;
  private final List<AttachmentTicket> users;

  PendingDeletion(VolumeView view) {
    this.volume = view.volume();
    this.users = VolumeDeletion.users(view.attachment());
  }

  /** Returns why the deletion waits; empty if it does not. */
  Optional<VolumePlan.Note> condition(VolumeStateTable.Row row) {
    if (volume.isBeingDeleted()) {
      return Optional.of(requested())
          .filter(note -> VolumeDeletion.isAttached(volume) && !users.isEmpty());
    }
    if (!volume.spec().deleteWhenDetached()) {
      return Optional.empty();
    }
    return Optional.of(isReady(row) ? begun() : waiting());
  }

  /** Returns the events to record, each once. */
  List<VolumePlan.Note> notes(VolumeStateTable.Row row) {
    return condition(row).filter(note -> !note.reason().equals(recorded())).stream().toList();
  }

  /** Returns whether to delete the volume now. */
  boolean isDue(VolumeStateTable.Row row) {
    return isReady(row) && recorded().equals(DeletionCondition.DETACHED);
  }

  private boolean isReady(VolumeStateTable.Row row) {
    return volume.spec().deleteWhenDetached()
        && !volume.isBeingDeleted()
        && users.isEmpty()
        && !VolumeDeletion.isAttached(volume)
        && row.state() == VolumeState.DETACHED;
  }

  private String recorded() {
    return Condition.find(volume.status().conditions(), DeletionCondition.TYPE)
        .map(Condition::reason)
        .orElse("");
  }

  private VolumePlan.Note requested() {
    return new VolumePlan.Note(
        true,
        DeletionCondition.DELETION_REQUESTED,
        "deletion was requested and cannot be taken back: the volume and its data are deleted as"
            + " soon as it is detached; it is "
            + VolumeDeletion.held(volume, users)
            + "; to keep the data, copy them first with 'holdfast volume export "
            + volume.name()
            + " FILE'");
  }

  private VolumePlan.Note waiting() {
    return new VolumePlan.Note(
        false,
        DeletionCondition.DELETE_WHEN_DETACHED,
        "the volume and its data are deleted once it is detached and no workload asks for it;"
            + " 'holdfast volume delete --cancel "
            + volume.name()
            + "' takes that back");
  }

  private static VolumePlan.Note begun() {
    return new VolumePlan.Note(
        false, DeletionCondition.DETACHED, "the volume is detached and is deleted with its data");
  }
}
