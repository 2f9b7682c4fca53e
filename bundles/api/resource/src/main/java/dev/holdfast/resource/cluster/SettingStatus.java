package dev.holdfast.resource.cluster;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The observed state of a setting.
 *
 * @param applied whether the value is in force
 */
@RecordBuilder
public record SettingStatus(boolean applied) implements SettingStatusBuilder.With {
  /** Nothing set. */
  public static final SettingStatus EMPTY = new SettingStatus(false);

  /** Replaces what is null by its default and copies the collections. */
  public SettingStatus {}
}
