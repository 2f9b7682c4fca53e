package dev.holdfast.volume.internal;

import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;

/**
 * Settings of volumes. Settings that Longhorn also has use Longhorn's names.
 *
 * @param scheduler settings for the placement of replicas
 * @param replenishmentWait wait for the return of a failed replica before a new one is created
 * @param rebuildsPerNode limit of concurrent rebuilds on one node; 0 for none
 * @param autoBalance whether replicas move to better places automatically
 * @param rebuildBytesPerSecond rate limit of one rebuild, 0 for no limit
 * @param trimRemovesSnapshots whether trims remove snapshots that prevent them from reclaiming
 *     space
 * @param deletionGrace retention time for the content of deleted volumes
 */
record VolumeSettings(
    SchedulerSettings scheduler,
    Duration replenishmentWait,
    int rebuildsPerNode,
    AutoBalance autoBalance,
    long rebuildBytesPerSecond,
    boolean trimRemovesSnapshots,
    Duration deletionGrace) {
  /** The default settings. */
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

  /** Returns whether replicas of a volume move automatically. */
  AutoBalance autoBalance(VolumeSpec volume) {
    return switch (volume.replicaAutoBalance()) {
      case IGNORED -> autoBalance;
      case DISABLED, LEAST_EFFORT, BEST_EFFORT -> volume.replicaAutoBalance();
    };
  }

  /** Returns the rate limit of a volume's rebuild in bytes per second, 0 for no limit. */
  long rebuildBytesPerSecond(VolumeSpec volume) {
    long own = volume.rebuildBytesPerSecond().bytes();
    return own > 0 ? own : rebuildBytesPerSecond;
  }

  /** Returns whether a volume's trims remove snapshots. */
  boolean trimRemovesSnapshots(VolumeSpec volume) {
    return volume.unmapMarkSnapChainRemoved().over(trimRemovesSnapshots);
  }

  /** Returns the retention time for the content of a deleted volume. */
  Duration deletionGrace(VolumeSpec volume) {
    return volume.deletionGrace().isEmpty()
        ? deletionGrace
        : DeletionGrace.parse(volume.deletionGrace());
  }
}
