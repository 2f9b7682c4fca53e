package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A node's report about a setting.
 *
 * @param node name of the node
 * @param applied whether the wanted value is in force on the node
 * @param effectiveValue value in force on the node; empty if none of its bundles reads the setting
 * @param reason Applied, InvalidValue, UnknownSetting or DefinitionAbsent
 * @param message cause why the value is not in force; empty if it is
 */
@RecordBuilder
public record SettingReport(
    String node, boolean applied, String effectiveValue, String reason, String message)
    implements SettingReportBuilder.With {
  /** The value is in force. */
  public static final String APPLIED = "Applied";

  /** The value is invalid; the default is in force. */
  public static final String INVALID_VALUE = "InvalidValue";

  /** The platform does not have a setting of this name. */
  public static final String UNKNOWN_SETTING = "UnknownSetting";

  /** The bundle that reads the setting is absent on the node; the value remains for its return. */
  public static final String DEFINITION_ABSENT = "DefinitionAbsent";

  /** Nothing set. */
  public static final SettingReport EMPTY = new SettingReport(null, false, null, null, null);

  /** Replaces null components by their defaults. */
  public SettingReport {
    node = Defaults.text(node);
    effectiveValue = Defaults.text(effectiveValue);
    reason = Defaults.text(reason);
    message = Defaults.text(message);
  }
}
