package dev.holdfast.backup.internal.standby;

import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;

/** The next step for a standby volume. */
public enum StandbyStep {
  /** Record that the volume is a standby volume. */
  RECORD,
  /** Wait until the backup is completely applied. */
  AWAIT,
  /** Keep the content by a snapshot to which an activation can revert. */
  KEEP,
  /** Search for a newer backup, and begin to apply it. */
  FOLLOW,
  /** Decide whether the partly applied backup is completed or reverted. */
  DECIDE,
  /** Make the volume an ordinary one. */
  ACTIVATE;

  /**
   * Returns the next step.
   *
   * @param volume as stored, not null
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
