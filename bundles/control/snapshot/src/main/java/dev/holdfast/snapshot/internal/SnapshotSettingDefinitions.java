package dev.holdfast.snapshot.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the settings of snapshots and of scrubbing. */
@Component(service = SettingDefinitions.class)
public final class SnapshotSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public SnapshotSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(
        PlatformSettings.FREEZE_FILESYSTEM,
        PlatformSettings.SCRUB_RATE,
        PlatformSettings.SCRUB_INTERVAL);
  }
}
