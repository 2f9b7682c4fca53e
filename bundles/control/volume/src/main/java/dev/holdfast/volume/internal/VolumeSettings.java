package dev.holdfast.volume.internal;

import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;

/**
 * Settings of volumes, by Longhorn's names where it has them.
 *
 * @param scheduler where replicas may go
 * @param replenishmentWait how long a failed replica that may come back is waited for before a new
 *     one is made
 * @param rebuildsPerNode how many replicas of one node may be rebuilt at a time; 0 for none
 * @param autoBalance whether replicas move to better places by themselves
 * @param rebuildBytesPerSecond the most one rebuild may copy, 0 for no limit
 * @param trimRemovesSnapshots whether trims give up the snapshots that keep them from reclaiming
 *     space
 * @param deletionGrace how long the content of deleted volumes is kept
 */
record VolumeSettings(
    SchedulerSettings scheduler,
    Duration replenishmentWait,
    int rebuildsPerNode,
    AutoBalance autoBalance,
    long rebuildBytesPerSecond,
    boolean trimRemovesSnapshots,
    Duration deletionGrace) {
  /** In force where nothing is set. */
  static final VolumeSettings DEFAULT = of(List.of());

  static VolumeSettings of(List<Setting> settings) {
    SettingValues values = new SettingValues(settings);
    return new VolumeSettings(
        SchedulerSettings.of(settings),
        Duration.ofSeconds(values.number(PlatformSettings.REPLENISHMENT_WAIT)),
        (int) values.number(PlatformSettings.REBUILDS_PER_NODE),
        values.choice(PlatformSettings.AUTO_BALANCE, AutoBalance.class),
        values.bytes(PlatformSettings.REBUILD_RATE),
        values.flag(PlatformSettings.TRIM_REMOVES_SNAPSHOTS),
        DeletionGrace.parse(values.text(PlatformSettings.DELETION_GRACE)));
  }

  /** Returns whether replicas of a volume move by themselves. */
  AutoBalance autoBalance(VolumeSpec volume) {
    return switch (volume.replicaAutoBalance()) {
      case IGNORED -> autoBalance;
      case DISABLED, LEAST_EFFORT, BEST_EFFORT -> volume.replicaAutoBalance();
    };
  }

  /** Returns the most that a rebuild of a volume may copy in a second, 0 for no limit. */
  long rebuildBytesPerSecond(VolumeSpec volume) {
    long own = volume.rebuildBytesPerSecond().bytes();
    return own > 0 ? own : rebuildBytesPerSecond;
  }

  /** Returns whether a volume's trims give snapshots up. */
  boolean trimRemovesSnapshots(VolumeSpec volume) {
    return volume.unmapMarkSnapChainRemoved().over(trimRemovesSnapshots);
  }

  /** Returns how long the content of a volume is kept after its deletion. */
  Duration deletionGrace(VolumeSpec volume) {
    return volume.deletionGrace().isEmpty()
        ? deletionGrace
        : DeletionGrace.parse(volume.deletionGrace());
  }
}
