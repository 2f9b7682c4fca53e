package dev.holdfast.schedule;

import java.util.List;
import java.util.Locale;

/** The fields of a cron expression, in their order. */
enum CronUnit {
  MINUTE("minute", 0, 59, ""),
  HOUR("hour", 0, 23, ""),
  DAY_OF_MONTH("day of month", 1, 31, ""),
  MONTH("month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"),
  DAY_OF_WEEK("day of week", 0, 6, "sun mon tue wed thu fri sat");

  private static final int MOST_DIGITS = 6;

  final String title;
  final int least;
  final int most;
  private final String names;

  CronUnit(String title, int least, int most, String names) {
    this.title = title;
    this.least = least;
    this.most = most;
    this.names = names;
  }

  /** Returns the permitted values, for messages. */
  String expected() {
    String numbers = "must be " + least + " to " + most;
    return switch (this) {
      case MINUTE, HOUR, DAY_OF_MONTH -> numbers;
      case MONTH -> numbers + ", or jan to dec";
      case DAY_OF_WEEK -> numbers + ", or sun to sat; Sunday is 0";
    };
  }

  /** Returns the value of a number or a name; -1 for any other text or a value out of range. */
  int value(String text) {
    int name = List.of(names.split(" ")).indexOf(text.toLowerCase(Locale.ROOT));
    int value = name < 0 || text.isEmpty() ? number(text) : least + name;
    return value < least || value > most ? -1 : value;
  }

  /** Parses a decimal number; returns -1 for any other text. */
  static int number(String text) {
    return text.length() <= MOST_DIGITS && text.matches("[0-9]+") ? Integer.parseInt(text) : -1;
  }
}
