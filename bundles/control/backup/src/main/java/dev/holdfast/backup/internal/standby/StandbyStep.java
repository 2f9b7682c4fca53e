package dev.holdfast.backup.internal.standby;

import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;

/** The next step with a standby volume. */
public enum StandbyStep {
  /** Record that it follows. */
  RECORD,
  /** Wait until the backup that is being applied is whole. */
  AWAIT,
  /** Keep the content by a snapshot, which an activation can revert to. */
  KEEP,
  /** Look for a newer backup, and begin to apply it. */
  FOLLOW,
  /** Decide whether the backup that is applied in part is completed or undone. */
  DECIDE,
  /** Make it an ordinary volume. */
  ACTIVATE;

  /**
   * Returns the next step.
   *
   * @param volume as the store has it, not null
   */
  public static StandbyStep next(Volume volume) {
    StandbyStatus standby = volume.status().standby();
    if (standby.state() == StandbyState.NONE) {
      return RECORD;
    }
    if (volume.awaitsContent()) {
      return volume.spec().standby() || standby.lastRestored().isEmpty() ? AWAIT : DECIDE;
    }
    if (!volume.spec().standby()) {
      return ACTIVATE;
    }
    return standby.lastRestored().equals(volume.status().restore().backup()) ? FOLLOW : KEEP;
  }
}
