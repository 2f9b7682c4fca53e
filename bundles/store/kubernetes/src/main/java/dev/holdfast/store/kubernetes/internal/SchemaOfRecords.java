package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.json.Descriptions;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Structural schemas of records: types, choices and descriptions from the sources, defaults from
 * the records' constructors, bounds and rules from {@link FieldRules}. Immutable.
 */
final class SchemaOfRecords {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Descriptions descriptions;

  SchemaOfRecords(Descriptions descriptions) {
    this.descriptions = descriptions;
  }

  /**
   * Returns the schema of a record.
   *
   * @param type type of the record
   * @param defaults default value of the record, as JSON; an empty object for no defaults
   * @param description description of the record
   */
  ObjectNode of(Class<?> type, JsonNode defaults, String description) {
    ObjectNode schema = object(description);
    ObjectNode properties = schema.putObject("properties");
    for (RecordComponent part : type.getRecordComponents()) {
      properties.set(part.getName(), field(type, part, defaults.path(part.getName())));
    }
    List<String> required = FieldRules.required(type);
    if (!required.isEmpty()) {
      ArrayNode names = schema.putArray("required");
      required.forEach(names::add);
    }
    addRules(schema, FieldRules.rules(type), !defaults.isMissingNode());
    return schema;
  }

  private static ObjectNode object(String description) {
    ObjectNode schema = NODES.objectNode();
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    return schema.put("type", "object");
  }

  /** Adds rules. Rules need defaults, so none are added where fields have no defaults. */
  static void addRules(ObjectNode schema, List<FieldRules.Rule> rules, boolean wanted) {
    if (rules.isEmpty() || !wanted) {
      return;
    }
    ArrayNode list = schema.putArray("x-kubernetes-validations");
    for (FieldRules.Rule rule : rules) {
      ObjectNode node = list.addObject().put("rule", rule.expression());
      node.put("message", rule.message());
      if (!rule.field().isEmpty()) {
        node.put("fieldPath", "." + rule.field());
      }
    }
  }

  private ObjectNode field(Class<?> owner, RecordComponent part, JsonNode standard) {
    String description = descriptions.of(owner, part.getName());
    ObjectNode schema = schema(part.getGenericType(), description, standard);
    put(schema, FieldRules.bounds(owner, part.getName()));
    if (part.getType() == Map.class) {
      put(schema, FieldRules.mapBounds(owner));
    }
    boolean required = FieldRules.required(owner).contains(part.getName());
    if (!required && !standard.isMissingNode()) {
      schema.set("default", standard);
    }
    return schema;
  }

  private static void put(ObjectNode schema, Map<String, Object> keywords) {
    keywords.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            keyword -> {
              if (keyword.getValue() instanceof String text) {
                schema.put(keyword.getKey(), text);
              } else {
                schema.put(keyword.getKey(), ((Number) keyword.getValue()).longValue());
              }
            });
  }

  private ObjectNode schema(Type type, String description, JsonNode standard) {
    if (type instanceof ParameterizedType parameterized) {
      return container(parameterized, description);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isRecord() && raw != Quantity.class) {
      return of(raw, standard, description.isEmpty() ? descriptions.of(raw) : description);
    }
    ObjectNode schema = NODES.objectNode();
    String full = raw.isEnum() ? withChoices(raw, description) : description;
    if (!full.isEmpty()) {
      schema.put("description", full);
    }
    scalar(schema, raw);
    return schema;
  }

  private static void scalar(ObjectNode schema, Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      schema.put("type", "boolean");
    } else if (type == int.class || type == Integer.class) {
      schema.put("type", "integer").put("format", "int32");
    } else if (type == long.class || type == Long.class) {
      schema.put("type", "integer").put("format", "int64");
    } else if (type == Quantity.class) {
      ArrayNode either = schema.putArray("anyOf");
      either.addObject().put("type", "integer");
      either.addObject().put("type", "string");
      schema.put("pattern", FieldRules.QUANTITY).put("maxLength", FieldRules.LONGEST_QUANTITY);
      schema.put("x-kubernetes-int-or-string", true);
    } else if (type == Instant.class) {
      schema.put("type", "string").put("format", "date-time");
    } else if (type.isEnum()) {
      schema.put("type", "string");
      ArrayNode choices = schema.putArray("enum");
      Arrays.stream(type.getEnumConstants()).forEach(c -> choices.add(c.toString()));
    } else if (type == String.class) {
      schema.put("type", "string");
    } else {
      throw new IllegalArgumentException(type.getName() + " has no schema");
    }
  }

  private String withChoices(Class<?> type, String description) {
    return description
        + "\n\nPossible values:\n"
        + Arrays.stream(type.getEnumConstants())
            .map(c -> " - `" + c + "` " + descriptions.of(type, ((Enum<?>) c).name()))
            .collect(Collectors.joining("\n"));
  }

  private ObjectNode container(ParameterizedType type, String description) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Optional.class) {
      return schema(arguments[0], description, NODES.missingNode());
    }
    ObjectNode schema = NODES.objectNode();
    schema.put("description", description);
    if (raw == List.class) {
      schema.put("type", "array");
      schema.set("items", schema(arguments[0], "", NODES.missingNode()));
    } else if (raw == Map.class) {
      schema.put("type", "object");
      schema.set("additionalProperties", schema(arguments[1], "", NODES.missingNode()));
    } else {
      throw new IllegalArgumentException(type + " has no schema");
    }
    return schema;
  }
}
