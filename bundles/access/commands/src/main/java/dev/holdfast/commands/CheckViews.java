package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.commands.check.CheckResult;
import java.util.List;
import java.util.stream.Collectors;

/** Formats the checks of a host for output. */
public final class CheckViews {
  /** Shows all results, and below the table the remedies for failed checks. */
  public Output results(List<CheckResult> results) {
    return new Output(() -> text(results), () -> json(results));
  }

  private static String text(List<CheckResult> results) {
    Table table = new Table("CHECK", "RESULT", "FOUND");
    results.forEach(result -> table.row(result.name(), result.outcome(), result.finding()));
    String remedies =
        results.stream()
            .filter(result -> !result.remedy().isEmpty())
            .map(result -> result.name() + ": " + Table.printable(result.remedy()))
            .collect(Collectors.joining("\n"));
    return remedies.isEmpty() ? table.toString() : table + "\n\n" + remedies;
  }

  private static JsonNode json(List<CheckResult> results) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (CheckResult result : results) {
      all.addObject()
          .put("check", result.name())
          .put("result", result.outcome().toString())
          .put("found", result.finding())
          .put("remedy", result.remedy());
    }
    return all;
  }
}
