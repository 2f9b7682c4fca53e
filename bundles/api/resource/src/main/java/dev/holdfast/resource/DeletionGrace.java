package dev.holdfast.resource;

import java.time.Duration;

/**
 * Retention time for the content of a deleted volume, as text: a whole number with a unit, from
 * {@code 0s} to {@code 30d}.
 *
 * @since 1.1
 */
public final class DeletionGrace {
  /** Pattern of valid texts. Each alternative is bounded by 30 days. */
  public static final String PATTERN =
      "(30|[12]?\\d)d"
          + "|(720|7[01]\\d|[1-6]?\\d?\\d)h"
          + "|(43200|43[01]\\d{2}|4[0-2]\\d{3}|[1-3]?\\d{1,4})m"
          + "|(2592000|259[01]\\d{3}|25[0-8]\\d{4}|2[0-4]\\d{5}|1?\\d{1,6})s";

  /** The valid texts in words. */
  public static final String FORM = "a time from 0s to 30d such as 90m, 24h or 7d";

  private DeletionGrace() {}

  /** Returns whether a text is valid; false for an empty text. */
  public static boolean isValid(String text) {
    return text.matches(PATTERN);
  }

  /**
   * Returns the time that a text denotes.
   *
   * @param text a valid text
   * @throws IllegalArgumentException when the text is not valid
   */
  public static Duration parse(String text) {
    if (!isValid(text)) {
      throw new IllegalArgumentException("\"" + text + "\": must be " + FORM);
    }
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 'd' -> Duration.ofDays(number);
      case 'h' -> Duration.ofHours(number);
      case 'm' -> Duration.ofMinutes(number);
      default -> Duration.ofSeconds(number);
    };
  }
}
