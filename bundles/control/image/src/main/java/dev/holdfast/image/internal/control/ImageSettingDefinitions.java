package dev.holdfast.image.internal.control;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the settings of backing images. */
@Component(service = SettingDefinitions.class)
public final class ImageSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public ImageSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(
        PlatformSettings.IMAGE_CLEANUP_WAIT,
        PlatformSettings.IMAGE_RECOVERY_WAIT,
        PlatformSettings.IMAGE_NETWORKS,
        PlatformSettings.IMAGE_PROXY,
        PlatformSettings.IMAGE_SIZE);
  }
}
