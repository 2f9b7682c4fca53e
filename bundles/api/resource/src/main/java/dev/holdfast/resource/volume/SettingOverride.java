package dev.holdfast.resource.volume;

/** What a volume says about a rule for which there is a setting. */
public enum SettingOverride {
  /** The setting counts. */
  IGNORED("ignored"),
  /** The rule holds for this volume, whatever the setting says. */
  ENABLED("enabled"),
  /** The rule does not hold for this volume, whatever the setting says. */
  DISABLED("disabled");

  private final String wireName;

  SettingOverride(String wireName) {
    this.wireName = wireName;
  }

  /**
   * Returns whether the rule holds.
   *
   * @param setting what the setting says
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
