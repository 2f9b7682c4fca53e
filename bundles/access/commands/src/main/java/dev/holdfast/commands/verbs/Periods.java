package dev.holdfast.commands.verbs;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads periods such as 30m, 12h or 90d. */
final class Periods {
  private static final Pattern PERIOD = Pattern.compile("(\\d{1,6})([smhd])");

  private Periods() {}

  static Duration parse(VerbOption<String> option, String text) throws WrongUse {
    Matcher matcher = PERIOD.matcher(text);
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
