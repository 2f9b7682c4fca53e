package dev.holdfast.volume.internal.deleted;

import java.time.Duration;
import java.util.Optional;

/**
 * A step of a deleted volume.
 *
 * @param action action of the step
 * @param obstacle cause of a wait, empty if none
 * @param pause time until the next step without a change of a resource; empty for none
 */
public record DeletedVolumeStep(Action action, String obstacle, Optional<Duration> pause) {
  /** Actions of a step. */
  public enum Action {
    /** Waits. */
    WAIT,
    /** Records that the volume was removed and its content is retained. */
    KEEP,
    /** Records that the volume must be restored. */
    RESTORE,
    /** Records that the content must be removed. */
    PURGE,
    /** Creates the volume. */
    CREATE_VOLUME,
    /** Restores the former state of the volume. */
    RESTORE_STATUS,
    /** Transfers the engine, the replicas and the snapshots to the volume. */
    RETURN_PARTS,
    /** Removes the engine, then the replicas with their data. */
    REMOVE_PARTS,
    /** Removes the resource of the deleted volume. */
    FORGET
  }

  static DeletedVolumeStep of(Action action) {
    return new DeletedVolumeStep(action, "", Optional.empty());
  }

  static DeletedVolumeStep waiting(Duration pause) {
    return new DeletedVolumeStep(Action.WAIT, "", Optional.of(pause));
  }

  static DeletedVolumeStep hindered(String obstacle) {
    return new DeletedVolumeStep(Action.WAIT, obstacle, Optional.empty());
  }
}
