package dev.holdfast.volume.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;

/**
 * Settings of the scheduler, by Longhorn's names.
 *
 * @param nodeSoftAntiAffinity whether two replicas of a volume may be on one node
 * @param zoneSoftAntiAffinity whether two replicas of a volume may be in one zone
 * @param diskSoftAntiAffinity whether two replicas of a volume may be on one disk
 * @param untaggedOnTaggedNodes whether a volume without a node selector may use nodes with tags
 * @param untaggedOnTaggedDisks whether a volume without a disk selector may use disks with tags
 * @param overProvisioningPercentage promisable percentage of a disk's space
 * @param minimalAvailablePercentage free percentage that a disk needs for a new replica
 */
record SchedulerSettings(
    boolean nodeSoftAntiAffinity,
    boolean zoneSoftAntiAffinity,
    boolean diskSoftAntiAffinity,
    boolean untaggedOnTaggedNodes,
    boolean untaggedOnTaggedDisks,
    int overProvisioningPercentage,
    int minimalAvailablePercentage) {
  /** The default settings. Node anti-affinity is soft so that one machine suffices. */
  static final SchedulerSettings DEFAULT = of(List.of());

  static SchedulerSettings of(List<Setting> settings) {
    SettingValues values = new SettingValues(settings);
    return new SchedulerSettings(
        values.flag(PlatformSettings.NODE_SOFT_ANTI_AFFINITY),
        values.flag(PlatformSettings.ZONE_SOFT_ANTI_AFFINITY),
        values.flag(PlatformSettings.DISK_SOFT_ANTI_AFFINITY),
        values.flag(PlatformSettings.EMPTY_NODE_SELECTOR),
        values.flag(PlatformSettings.EMPTY_DISK_SELECTOR),
        (int) values.number(PlatformSettings.OVER_PROVISIONING),
        (int) values.number(PlatformSettings.MINIMAL_AVAILABLE));
  }

  /** Returns the settings for one volume, whose own values have priority. */
  SchedulerSettings over(VolumeSpec volume) {
    return new SchedulerSettings(
        volume.replicaSoftAntiAffinity().over(nodeSoftAntiAffinity),
        volume.replicaZoneSoftAntiAffinity().over(zoneSoftAntiAffinity),
        volume.replicaDiskSoftAntiAffinity().over(diskSoftAntiAffinity),
        untaggedOnTaggedNodes,
        untaggedOnTaggedDisks,
        overProvisioningPercentage,
        minimalAvailablePercentage);
  }
}
