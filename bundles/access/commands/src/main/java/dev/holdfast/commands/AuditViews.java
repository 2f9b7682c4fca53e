package dev.holdfast.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Formats lines of the audit log for output. Times are in UTC. */
public final class AuditViews {
  private static final int SECONDS = "2026-11-28T12:00:00".length();

  /** Creates a view. */
  public AuditViews() {}

  /** Shows events, the oldest first. */
  public Output events(List<JsonNode> events) {
    return new Output(() -> table(events), () -> tree(events));
  }

  private static String table(List<JsonNode> events) {
    Table table = new Table("TIME", "NODE", "USER", "VERB", "OBJECT", "CODE", "FROM", "MESSAGE");
    for (JsonNode event : events) {
      String time = event.path("requestReceivedTimestamp").asText("");
      table.row(
          time.length() > SECONDS ? time.substring(0, SECONDS) + "Z" : time,
          event.path("node").asText(""),
          event.at("/user/username").asText(""),
          event.path("verb").asText(""),
          object(event),
          event.at("/responseStatus/code").asText(""),
          event.at("/sourceIPs/0").asText(""),
          event.at("/responseStatus/message").asText(""));
    }
    return table.orIfEmpty("No line of the audit log matches.");
  }

  private static String object(JsonNode event) {
    JsonNode object = event.path("objectRef");
    if (object.isMissingNode()) {
      return event.path("requestURI").asText("");
    }
    String subresource = object.path("subresource").asText("");
    String name = object.path("name").asText("");
    return object.path("resource").asText("")
        + (name.isEmpty() ? "" : "/" + name)
        + (subresource.isEmpty() ? "" : "/" + subresource);
  }

  private static ObjectNode tree(List<JsonNode> events) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.putArray("items").addAll(events);
    return tree;
  }
}
