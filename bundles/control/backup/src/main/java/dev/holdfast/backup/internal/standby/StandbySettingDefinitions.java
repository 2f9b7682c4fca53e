package dev.holdfast.backup.internal.standby;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the settings of standby volumes. */
@Component(service = SettingDefinitions.class)
public final class StandbySettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public StandbySettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.STANDBY_MAXIMUM_LAG, PlatformSettings.STANDBY_POLL_INTERVAL);
  }
}
