package dev.holdfast.resource.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Level of one logger: one part of the setting {@code log-level}.
 *
 * @param node node of the rule, empty for all nodes, not null
 * @param logger such as {@code dev.holdfast.portal}, with all loggers below it; {@link #ROOT} for
 *     all; not null
 * @param level of {@link #LEVELS}, not null
 * @param end time at which the rule ends, empty for never, not null
 */
public record LogLevelRule(String node, String logger, String level, Optional<Instant> end) {
  /** Name of the root logger. */
  public static final String ROOT = "ROOT";

  /** All levels, the least verbose first. */
  public static final List<String> LEVELS =
      List.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");

  /** Pattern of one rule. */
  static final String FORM =
      "(?:([a-z0-9.-]+)/)?([A-Za-z0-9_.]+)=("
          + String.join("|", LEVELS)
          + ")(?:@(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ))?";

  private static final Pattern RULE = Pattern.compile(FORM);

  /** Rejects null components. */
  public LogLevelRule {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(logger, "logger");
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(end, "end");
  }

  /**
   * Parses the value of the setting.
   *
   * @param value rules separated by commas, empty for none, not null
   * @return the rules in their order, never null; parts in another form are ignored
   */
  public static List<LogLevelRule> parse(String value) {
    List<LogLevelRule> rules = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      Matcher matcher = RULE.matcher(part.strip());
      if (matcher.matches()) {
        rules.add(
            new LogLevelRule(
                Optional.ofNullable(matcher.group(1)).orElse(""),
                matcher.group(2),
                matcher.group(3),
                Optional.ofNullable(matcher.group(4)).map(Instant::parse)));
      }
    }
    return rules;
  }

  /** Returns the form that {@link #parse} accepts, never null. */
  public String text() {
    return (node.isEmpty() ? "" : node + "/")
        + logger
        + "="
        + level
        + end.map(instant -> "@" + instant).orElse("");
  }

  /** Returns whether the rule applies to a node at a time. */
  public boolean holds(String onNode, Instant now) {
    return (node.isEmpty() || node.equals(onNode)) && end.map(now::isBefore).orElse(true);
  }
}
