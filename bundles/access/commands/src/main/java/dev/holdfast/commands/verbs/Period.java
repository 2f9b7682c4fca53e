package dev.holdfast.commands.verbs;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses periods such as {@code 30m}, {@code 12h} and {@code 90d}. */
final class Period {
  private static final Pattern FORM = Pattern.compile("(\\d{1,6})([smhd])");

  private Period() {}

  /**
   * Parses the value of an option.
   *
   * @throws WrongUse if it is not a period longer than zero
   */
  static Duration of(VerbOption<String> option, String text) throws WrongUse {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
      throw new WrongUse(
          option.name() + " " + text + ": expected a period such as 30m, 12h or 90d");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
