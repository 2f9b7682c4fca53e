package dev.holdfast.commands;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;

/** Formats amounts for the width of a table's cells. */
final class SizeText {
  private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

  private SizeText() {}

  /** Returns an amount with a unit and about two digits, for example {@code 9.5Gi}. */
  static String rounded(Quantity quantity) {
    double amount = quantity.bytes();
    int unit = 0;
    while (amount >= 1024 && unit < UNITS.length - 1) {
      amount /= 1024;
      unit++;
    }
    boolean whole = amount >= 10 || amount == Math.rint(amount);
    return String.format(Locale.ROOT, whole ? "%.0f%s" : "%.1f%s", amount, UNITS[unit]);
  }

  /** Returns the user's text of a size, and the actual size if it is greater. */
  static String typed(String typed, Quantity size) {
    if (typed.isEmpty()) {
      return size.toString();
    }
    return Quantity.parse(typed).equals(size)
        ? typed
        : typed + ", rounded up to " + size + " (a multiple of 4Ki),";
  }

  /** Returns a duration in its largest suitable unit, like ages in {@code kubectl}. */
  static String shortened(Duration duration) {
    long seconds = Math.max(0, duration.toSeconds());
    if (seconds < 120) {
      return seconds + "s";
    }
    if (seconds < 2 * 3600) {
      return seconds / 60 + "m";
    }
    return seconds < 2 * 86400 ? seconds / 3600 + "h" : seconds / 86400 + "d";
  }

  /** Returns the age of a resource, empty before its creation. */
  static String age(ObjectMeta metadata, Clock clock) {
    return metadata
        .creationTimestamp()
        .map(since -> shortened(Duration.between(since, clock.instant())))
        .orElse("");
  }
}
