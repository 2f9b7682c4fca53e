package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.ResourceKind;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * A column of a server-side table.
 *
 * @param name the heading
 * @param type the OpenAPI type, or date for a point in time that is shown as an age
 * @param format format of the type, usually empty
 * @param path path of the value
 * @param wide whether it is shown with {@code -o wide} only
 * @param description one sentence
 */
record TableColumn(
    String name, String type, String format, JsonPath path, boolean wide, String description) {
  static final TableColumn NAME =
      new TableColumn(
          "Name", "string", "name", JsonPath.parse(".metadata.name"), false, "Unique in its kind.");
  static final TableColumn AGE =
      new TableColumn(
          "Age",
          "date",
          "",
          JsonPath.parse(".metadata.creationTimestamp"),
          false,
          "Time since it was created.");

  static TableColumn of(ResourceKind.Column column) {
    return new TableColumn(
        column.name(),
        column.type(),
        "",
        JsonPath.parse(column.jsonPath()),
        column.wide(),
        column.description());
  }

  ObjectNode definition() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    node.put("type", type);
    node.put("format", format);
    node.put("description", description);
    node.put("priority", wide ? 1 : 0);
    return node;
  }

  JsonNode cell(JsonNode resource, Clock clock) {
    JsonNode value = path.of(resource);
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (type.equals("date")) {
      return nodes.textNode(age(value, clock));
    } else if (value.isMissingNode() || value.isNull()) {
      return nodes.textNode("");
    }
    return value.isValueNode() ? value : nodes.textNode(value.toString());
  }

  private static String age(JsonNode value, Clock clock) {
    try {
      return Durations.human(
          Duration.between(OffsetDateTime.parse(value.asText()), OffsetDateTime.now(clock)));
    } catch (DateTimeException e) {
      return "<unknown>";
    }
  }
}
