package dev.holdfast.attacher.api.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the setting for tickets of users. */
@Component(service = SettingDefinitions.class)
public final class ApiSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public ApiSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.DETACH_WHEN_CORDONED);
  }
}
