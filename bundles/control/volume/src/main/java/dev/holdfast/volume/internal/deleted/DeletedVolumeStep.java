package dev.holdfast.volume.internal.deleted;

import java.time.Duration;
import java.util.Optional;

/**
 * A step of a deleted volume.
 *
 * @param action to take
 * @param obstacle why nothing is done, empty when nothing prevents it
 * @param pause time until the next step that no change of a resource announces; empty for none
 */
public record DeletedVolumeStep(Action action, String obstacle, Optional<Duration> pause) {
  /** Actions of a step. */
  public enum Action {
    /** Nothing. */
    WAIT,
    /** Records that the volume is gone and its content is kept. */
    KEEP,
    /** Records that the volume is to be made again. */
    RESTORE,
    /** Records that the content is to be removed. */
    PURGE,
    /** Makes the volume. */
    CREATE_VOLUME,
    /** Gives the volume the state that it had. */
    RESTORE_STATUS,
    /** Gives the engine, the replicas and the snapshots to the volume. */
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
