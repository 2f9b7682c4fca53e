package dev.holdfast.resource.volume;

/** A volume's override of a setting. */
public enum SettingOverride {
  /** The setting decides. */
  IGNORED("ignored"),
  /** Yes for this volume, regardless of the setting. */
  ENABLED("enabled"),
  /** No for this volume, regardless of the setting. */
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
