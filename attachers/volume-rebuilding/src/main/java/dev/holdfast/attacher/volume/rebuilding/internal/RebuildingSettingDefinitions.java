package dev.holdfast.attacher.volume.rebuilding.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the setting for rebuilds of detached volumes. */
@Component(service = SettingDefinitions.class)
public final class RebuildingSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public RebuildingSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.OFFLINE_REBUILD);
  }
}
