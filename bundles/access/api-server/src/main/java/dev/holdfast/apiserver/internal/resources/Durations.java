package dev.holdfast.apiserver.internal.resources;

import java.time.Duration;

/** Formats durations for columns, rounded like kubectl does. */
final class Durations {
  private static final int HOURS_A_YEAR = 24 * 365;

  private Durations() {}

  static String human(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < -1) {
      return "<invalid>";
    } else if (seconds < 0) {
      return "0s";
    } else if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = duration.toMinutes();
    if (minutes < 10) {
      return both(minutes, "m", seconds % 60, "s");
    } else if (minutes < 180) {
      return minutes + "m";
    }
    long hours = duration.toHours();
    if (hours < 8) {
      return both(hours, "h", minutes % 60, "m");
    } else if (hours < 48) {
      return hours + "h";
    } else if (hours < 24 * 8) {
      return both(hours / 24, "d", hours % 24, "h");
    } else if (hours < HOURS_A_YEAR * 2) {
      return hours / 24 + "d";
    } else if (hours < HOURS_A_YEAR * 8) {
      return both(hours / HOURS_A_YEAR, "y", hours / 24 % 365, "d");
    }
    return hours / HOURS_A_YEAR + "y";
  }

  private static String both(long large, String largeUnit, long small, String smallUnit) {
    return small == 0 ? large + largeUnit : large + largeUnit + small + smallUnit;
  }
}
