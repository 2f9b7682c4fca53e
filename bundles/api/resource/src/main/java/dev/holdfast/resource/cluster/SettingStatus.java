package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a setting.
 *
 * @param applied whether the value is in force on every node that reads the setting
 * @param effectiveValue value in force; the default if the value is empty or invalid
 * @param defaultValue value in force if none is set
 * @param allowed allowed values in words
 * @param description effect of the setting
 * @param volumeField field of a Volume that overrides the setting, empty for none
 * @param nodes reports of the nodes, by ascending name
 */
@RecordBuilder
public record SettingStatus(
    boolean applied,
    String effectiveValue,
    String defaultValue,
    String allowed,
    String description,
    String volumeField,
    List<SettingReport> nodes)
    implements SettingStatusBuilder.With {
  /** Nothing set. */
  public static final SettingStatus EMPTY =
      new SettingStatus(false, null, null, null, null, null, null);

  /** Replaces null components by their defaults and copies the collections. */
  public SettingStatus {
    effectiveValue = Defaults.text(effectiveValue);
    defaultValue = Defaults.text(defaultValue);
    allowed = Defaults.text(allowed);
    description = Defaults.text(description);
    volumeField = Defaults.text(volumeField);
    nodes = Defaults.list(nodes);
  }
}
