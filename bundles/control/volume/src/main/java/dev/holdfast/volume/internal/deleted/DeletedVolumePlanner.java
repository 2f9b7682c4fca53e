package dev.holdfast.volume.internal.deleted;

import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep.Action;
import java.time.Duration;
import java.time.Instant;

/**
 * The steps of a deleted volume:
 *
 * <pre>
 *   state      observed                             step
 *   pending    the volume exists                    wait, the volume controller moves the parts
 *   pending    the volume is gone                   keep
 *   kept       its deletion is requested            purge
 *   kept       undelete, no volume of the name      restore
 *   kept       undelete, another volume             wait
 *   kept       the grace has passed                 purge
 *   kept       otherwise                            wait for the end of the grace
 *   restoring  no volume of the name                create volume
 *   restoring  another volume                       wait
 *   restoring  the volume has no state yet          restore status
 *   restoring  it owns a part                       return parts
 *   restoring  otherwise                            forget
 *   purging    it owns an engine or a replica       remove parts
 *   purging    otherwise                            forget
 * </pre>
 *
 * <p>The state is recorded before the first step that depends on it, so that a purge and an
 * undelete cannot run at the same time. The resource of the deleted volume is removed last, because
 * the volume controller suspends a new volume of the name while it exists.
 */
public final class DeletedVolumePlanner implements DeletedVolumePolicy {
  /** Creates the planner. */
  public DeletedVolumePlanner() {}

  @Override
  public DeletedVolumeStep next(DeletedVolumeFacts facts) {
    return switch (facts.deleted().status().state()) {
      case PENDING -> pending(facts);
      case KEPT -> kept(facts);
      case RESTORING -> restoring(facts);
      case PURGING -> DeletedVolumeStep.of(facts.dataLeft() ? Action.REMOVE_PARTS : Action.FORGET);
    };
  }

  private static DeletedVolumeStep pending(DeletedVolumeFacts facts) {
    boolean exists = facts.volume().filter(facts.deleted()::isOf).isPresent();
    return DeletedVolumeStep.of(exists ? Action.WAIT : Action.KEEP);
  }

  private static DeletedVolumeStep kept(DeletedVolumeFacts facts) {
    DeletedVolume deleted = facts.deleted();
    if (deleted.isBeingDeleted()) {
      return DeletedVolumeStep.of(Action.PURGE);
    }
    if (deleted.spec().undelete()) {
      return facts.volume().isPresent() ? otherVolume(deleted) : step(Action.RESTORE);
    }
    Instant end = deleted.spec().purgeAt().orElse(Instant.MAX);
    return facts.now().isBefore(end)
        ? DeletedVolumeStep.waiting(Duration.between(facts.now(), end))
        : step(Action.PURGE);
  }

  private static DeletedVolumeStep restoring(DeletedVolumeFacts facts) {
    if (facts.volume().isEmpty()) {
      return step(Action.CREATE_VOLUME);
    }
    Volume volume = facts.volume().get();
    if (!facts.deleted().isSourceOf(volume)) {
      return otherVolume(facts.deleted());
    }
    if (volume.status().state() == VolumeState.CREATING) {
      return step(Action.RESTORE_STATUS);
    }
    return step(facts.owned() ? Action.RETURN_PARTS : Action.FORGET);
  }

  private static DeletedVolumeStep otherVolume(DeletedVolume deleted) {
    return DeletedVolumeStep.hindered(
        "another volume "
            + deleted.name()
            + " exists: delete it with 'holdfast volume delete "
            + deleted.name()
            + "'");
  }

  private static DeletedVolumeStep step(Action action) {
    return DeletedVolumeStep.of(action);
  }
}
