package dev.holdfast.resource.volume;

/** A volume's own value for a rule that a setting decides for all volumes. */
public enum SettingOverride {
  /** The setting decides. */
  IGNORED("ignored"),
  /** Yes for this volume, whatever the setting's value is. */
  ENABLED("enabled"),
  /** No for this volume, whatever the setting's value is. */
  DISABLED("disabled");

  private final String wireName;

  SettingOverride(String wireName) {
    this.wireName = wireName;
  }

  /**
   * Returns whether the rule applies.
   *
   * @param setting value of the setting
   */
  public boolean over(boolean setting) {
    return switch (this) {
      case IGNORED -> setting;
      case ENABLED -> true;
      case DISABLED -> false;
    };
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
