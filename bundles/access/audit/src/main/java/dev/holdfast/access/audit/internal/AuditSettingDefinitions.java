package dev.holdfast.access.audit.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Declares the settings of the audit log. */
@Component(service = SettingDefinitions.class)
public final class AuditSettingDefinitions implements SettingDefinitions {
  /** Creates the declaration. */
  @Activate
  public AuditSettingDefinitions() {}

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.AUDIT_READS, PlatformSettings.AUDIT_REQUIRED);
  }
}
