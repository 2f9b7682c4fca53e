package dev.holdfast.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads cron expressions as the standard parser of robfig/cron v3 does. Rejects some texts that
 * robfig/cron accepts: empty items of a list, a range that begins with a wildcard, a sign before a
 * number, {@code TZ=} and {@code @every}.
 */
final class CronParser {
  private static final Pattern WORD = Pattern.compile("\\S+");
  private static final Pattern ITEM = Pattern.compile("([^-/]+)(?:-([^-/]+))?(?:/([^-/]+))?");
  private static final int LONGEST = 256;
  private static final Map<String, String> DESCRIPTORS =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private CronParser() {}

  /**
   * Parses an expression into its five fields.
   *
   * @throws IllegalArgumentException with the position of the error and the remedy
   */
  static List<CronField> parse(String expression) {
    if (expression.length() > LONGEST) {
      throw new IllegalArgumentException("must be at most " + LONGEST + " characters");
    }
    String trimmed = expression.strip();
    if (trimmed.startsWith("@")) {
      return parse(descriptor(trimmed));
    }
    if (trimmed.startsWith("TZ=") || trimmed.startsWith("CRON_TZ=")) {
      throw wrong(expression.indexOf(trimmed), "a time zone", "set timeZone instead");
    }
    Matcher words = WORD.matcher(expression);
    List<CronField> fields = new ArrayList<>();
    for (CronUnit unit : CronUnit.values()) {
      if (!words.find()) {
        throw wrong(
            expression.length(),
            unit.title + " is missing",
            "must have five fields: minute, hour, day of month, month, day of week");
      }
      fields.add(field(unit, words.group(), words.start()));
    }
    if (words.find()) {
      throw wrong(words.start(), "a sixth field", "must have five fields");
    }
    return fields;
  }

  private static String descriptor(String text) {
    String expression = DESCRIPTORS.get(text);
    if (expression == null) {
      throw wrong(
          0,
          text,
          text.startsWith("@every")
              ? "use fields instead, for example */15 * * * * for every 15 minutes"
              : "must be @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly");
    }
    return expression;
  }

  private static CronField field(CronUnit unit, String text, int position) {
    long bits = 0;
    boolean wildcard = false;
    int start = 0;
    for (String item : text.split(",", -1)) {
      CronField found = item(unit, item, position + start);
      bits |= found.bits();
      wildcard |= found.wildcard();
      start += item.length() + 1;
    }
    return new CronField(bits, wildcard);
  }

  private static CronField item(CronUnit unit, String text, int position) {
    Matcher parts = ITEM.matcher(text);
    if (!parts.matches()) {
      throw wrong(
          position,
          unit.title + " \"" + text + "\"",
          "must be a value, a range as 1-5 or *, each with an optional step as */2");
    }
    boolean all = parts.group(1).equals("*") || parts.group(1).equals("?");
    boolean ranged = parts.group(2) != null;
    boolean stepped = parts.group(3) != null;
    if (all && ranged) {
      throw wrong(position, unit.title + " \"" + text + "\"", "a range must begin with a value");
    }
    int first = all ? unit.least : value(unit, parts.group(1), position);
    int last = first;
    if (ranged) {
      last = value(unit, parts.group(2), position + parts.start(2));
    } else if (all || stepped) {
      last = unit.most;
    }
    if (last < first) {
      throw wrong(
          position,
          unit.title + " \"" + text + "\"",
          "the range ends before it begins: write two ranges, separated by a comma");
    }
    int step = stepped ? step(unit, parts.group(3), position + parts.start(3)) : 1;
    return new CronField(bits(first, last, step), all && step == 1);
  }

  private static long bits(int first, int last, int step) {
    long bits = 0;
    for (int value = first; value <= last; value += step) {
      bits |= 1L << value;
    }
    return bits;
  }

  private static int value(CronUnit unit, String text, int position) {
    int value = unit.value(text);
    if (value < 0) {
      throw wrong(position, unit.title + " \"" + text + "\"", unit.expected());
    }
    return value;
  }

  private static int step(CronUnit unit, String text, int position) {
    int step = CronUnit.number(text);
    if (step < 1) {
      throw wrong(
          position, "step \"" + text + "\" of " + unit.title, "must be a number of at least 1");
    }
    return step;
  }

  private static IllegalArgumentException wrong(int position, String found, String remedy) {
    return new IllegalArgumentException(
        "at character " + (position + 1) + ": " + found + ": " + remedy);
  }
}
