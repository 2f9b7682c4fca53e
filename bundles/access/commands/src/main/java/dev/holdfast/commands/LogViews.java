package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.cluster.LogLevelRule;
import java.time.Instant;
import java.util.List;

/** Formats levels of loggers for output. */
public final class LogViews {
  /** Creates a view. */
  public LogViews() {}

  /** Shows levels that differ from the configuration of the nodes. */
  public Output levels(List<LogLevelRule> rules) {
    return new Output(() -> table(rules), () -> json(rules));
  }

  private static String table(List<LogLevelRule> rules) {
    Table table = new Table("LOGGER", "LEVEL", "NODE", "UNTIL");
    for (LogLevelRule rule : rules) {
      table.row(
          rule.logger(),
          rule.level(),
          rule.node().isEmpty() ? "all" : rule.node(),
          rule.end().map(Instant::toString).orElse(""));
    }
    return table.orIfEmpty("All loggers have the levels of the nodes' configuration.");
  }

  private static ArrayNode json(List<LogLevelRule> rules) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (LogLevelRule rule : rules) {
      ObjectNode entry = array.addObject().put("logger", rule.logger()).put("level", rule.level());
      if (!rule.node().isEmpty()) {
        entry.put("node", rule.node());
      }
      rule.end().ifPresent(end -> entry.put("until", end.toString()));
    }
    return array;
  }
}
