package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Report of one node about a setting.
 *
 * @param node name of the node
 * @param applied whether the node has the wanted value in force
 * @param effectiveValue value in force on the node; empty where no bundle reads the setting
 * @param reason Applied, InvalidValue, UnknownSetting or DefinitionAbsent
 * @param message why the value is not in force; empty when it is
 */
@RecordBuilder
public record SettingReport(
    String node, boolean applied, String effectiveValue, String reason, String message)
    implements SettingReportBuilder.With {
  /** The value is in force. */
  public static final String APPLIED = "Applied";

  /** The value is wrong; the default is in force. */
  public static final String INVALID_VALUE = "InvalidValue";

  /** No version of the platform reads a setting of this name. */
  public static final String UNKNOWN_SETTING = "UnknownSetting";

  /** No bundle on the node reads the setting; the value stays for the bundle's return. */
  public static final String DEFINITION_ABSENT = "DefinitionAbsent";

  /** Nothing set. */
  public static final SettingReport EMPTY = new SettingReport(null, false, null, null, null);

  /** Replaces what is null by its default. */
  public SettingReport {
    node = Defaults.text(node);
    effectiveValue = Defaults.text(effectiveValue);
    reason = Defaults.text(reason);
    message = Defaults.text(message);
  }
}
