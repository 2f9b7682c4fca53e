package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.NodeUpgrade;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats upgrades for output: the bundle, the method, the effect on clients and the result. */
public final class UpgradeViews {
  private final ObjectMapper json = new ObjectMapper();

  /** Shows the requests to nodes, and their results. */
  public Output upgrades(List<NodeUpgrade> upgrades) {
    return new Output(() -> text(upgrades), () -> tree(upgrades));
  }

  private static String text(List<NodeUpgrade> upgrades) {
    if (upgrades.isEmpty()) {
      return "No upgrade yet.";
    }
    Table table = new Table("NODE", "BUNDLE", "KIND", "FROM", "TO", "HOW", "STATE", "PAUSE");
    List<String> ends = new ArrayList<>();
    boolean any = false;
    for (NodeUpgrade upgrade : upgrades) {
      for (JsonNode step : upgrade.operation().path("steps")) {
        if (!step.path("way").asText().equals("NOTHING")) {
          any = true;
          table.row(
              upgrade.node(),
              step.path("bundle").asText(),
              step.path("kind").asText(),
              step.path("versionBefore").asText(),
              step.path("version").asText(),
              words(step.path("way").asText()),
              words(step.path("state").asText()),
              step.path("pause").asText());
        }
      }
      ends.add(end(upgrade));
    }
    return (any ? table + "\n" : "") + String.join("\n", ends);
  }

  private static String end(NodeUpgrade upgrade) {
    long same = 0;
    for (JsonNode step : upgrade.operation().path("steps")) {
      same += step.path("way").asText().equals("NOTHING") ? 1 : 0;
    }
    String source = upgrade.operation().path("source").asText();
    return "node "
        + upgrade.node()
        + (source.isEmpty() ? "" : ": " + Table.printable(source))
        + ": "
        + words(upgrade.state())
        + (same > 0 ? ", " + same + " with the same content" : "")
        + (upgrade.reason().isEmpty() ? "" : ": " + Table.printable(upgrade.reason()));
  }

  private static String words(String constant) {
    return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private ObjectNode tree(List<NodeUpgrade> upgrades) {
    ObjectNode tree = json.createObjectNode();
    ArrayNode items = tree.putArray("items");
    for (NodeUpgrade upgrade : upgrades) {
      ObjectNode item = items.addObject().put("node", upgrade.node());
      item.setAll((ObjectNode) upgrade.operation().deepCopy());
    }
    return tree;
  }
}
