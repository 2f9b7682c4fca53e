package dev.holdfast.upgrader.internal;

import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * Time limits of replacements.
 *
 * @param patience limit for the start of a bundle, and for the move of its work
 * @param probation time for which a new bundle is observed before the old one is removed
 */
record UpgradeSettings(Duration patience, Duration probation) {
  private static final String PATIENCE = "holdfast.upgrade.patience.seconds";
  private static final String PROBATION = "holdfast.upgrade.probation.seconds";

  static UpgradeSettings from(UnaryOperator<String> property) {
    return new UpgradeSettings(
        seconds(property, PATIENCE, "60"), seconds(property, PROBATION, "10"));
  }

  private static Duration seconds(UnaryOperator<String> property, String name, String otherwise) {
    String value = property.apply(name);
    String text = value == null || value.isBlank() ? otherwise : value.strip();
    if (!text.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(name + " must be a number of seconds, not " + text);
    }
    return Duration.ofSeconds(Long.parseLong(text));
  }
}
