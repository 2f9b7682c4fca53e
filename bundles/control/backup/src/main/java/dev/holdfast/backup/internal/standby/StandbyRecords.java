package dev.holdfast.backup.internal.standby;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Records the observed state of one standby volume. */
final class StandbyRecords {
  private final Volume volume;
  private final ReconcileContext context;

  StandbyRecords(Volume volume, ReconcileContext context) {
    this.volume = volume;
    this.context = context;
  }

  /** Returns the time between two searches for a newer backup. */
  Duration interval() {
    return Duration.ofSeconds(number(PlatformSettings.STANDBY_POLL_INTERVAL));
  }

  private long number(SettingDefinition setting) {
    return setting.number(context.get(Setting.KIND, setting.name()));
  }

  /** Writes a status if it differs. */
  Volume write(VolumeStatus status) throws StorageException {
    return status.equals(volume.status())
        ? volume
        : context.store().updateStatus(volume.withStatus(status));
  }

  /** Writes the standby status if it differs. */
  Volume write(StandbyStatus standby) throws StorageException {
    return write(volume.status().withStandby(standby));
  }

  /**
   * Records the age of the content and the obstacle to applying newer backups; an empty text means
   * no obstacle.
   */
  void lag(String message) throws StorageException {
    StandbyStatus standby = volume.status().standby();
    Instant now = context.clock().instant();
    long behind =
        standby
            .lastRestoredAt()
            .map(at -> Math.max(0, Duration.between(at, now).toSeconds()))
            .orElse(0L);
    if (!message.isEmpty() && !message.equals(standby.message())) {
      context.events().warning(volume, "StandbyNotFollowing", message);
    }
    var unused =
        write(
            volume
                .status()
                .withStandby(standby.withBehindSeconds(behind).withMessage(message))
                .withConditions(conditions(behind, now)));
  }

  private List<Condition> conditions(long behind, Instant now) {
    long most = number(PlatformSettings.STANDBY_MAXIMUM_LAG);
    boolean late = most > 0 && behind > most;
    return Condition.with(
        volume.status().conditions(),
        Volume.STANDBY_CURRENT_CONDITION,
        late ? Condition.Status.FALSE : Condition.Status.TRUE,
        late ? "Behind" : "Current",
        late
            ? "its content is older than "
                + most
                + " s (setting "
                + PlatformSettings.STANDBY_MAXIMUM_LAG.name()
                + "): see status.standby.message, and whether the volume is still backed up"
            : "",
        now);
  }
}
