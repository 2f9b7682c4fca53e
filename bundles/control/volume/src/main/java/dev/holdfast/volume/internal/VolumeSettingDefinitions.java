package dev.holdfast.volume.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the settings of volumes and of the scheduler. */
@Component(service = SettingDefinitions.class)
public final class VolumeSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public VolumeSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(
        PlatformSettings.EMPTY_DISK_SELECTOR,
        PlatformSettings.EMPTY_NODE_SELECTOR,
        PlatformSettings.REBUILDS_PER_NODE,
        PlatformSettings.DELETION_GRACE,
        PlatformSettings.TRIM_REMOVES_SNAPSHOTS,
        PlatformSettings.AUTO_BALANCE,
        PlatformSettings.DISK_SOFT_ANTI_AFFINITY,
        PlatformSettings.REBUILD_RATE,
        PlatformSettings.REPLENISHMENT_WAIT,
        PlatformSettings.NODE_SOFT_ANTI_AFFINITY,
        PlatformSettings.ZONE_SOFT_ANTI_AFFINITY,
        PlatformSettings.MINIMAL_AVAILABLE,
        PlatformSettings.OVER_PROVISIONING);
  }
}
