package dev.holdfast.resource.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.FieldsV1;
import dev.holdfast.resource.Quantity;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** Encodes records as JSON trees. */
final class RecordEncoder {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final RecordShapes shapes;

  RecordEncoder(RecordShapes shapes) {
    this.shapes = shapes;
  }

  /** Encodes a record with its empty values, so that readers see every default. */
  ObjectNode withDefaults(Record value) {
    ObjectNode node = NODES.objectNode();
    Timestamps timestamps = Timestamps.of(value.getClass());
    for (RecordShapes.Field field : shapes.of(value.getClass()).fields().values()) {
      put(node, field.name(), field.valueOf(value), timestamps);
    }
    return node;
  }

  /** Encodes a record without its empty values, as Kubernetes does for metadata. */
  ObjectNode withoutEmpty(Record value) {
    ObjectNode node = NODES.objectNode();
    Timestamps timestamps = Timestamps.of(value.getClass());
    for (RecordShapes.Field field : shapes.of(value.getClass()).fields().values()) {
      Object content = field.valueOf(value);
      if (!isEmpty(content)) {
        put(node, field.name(), content, timestamps);
      }
    }
    return node;
  }

  private static boolean isEmpty(Object content) {
    return (content instanceof String text && text.isEmpty())
        || (content instanceof Collection<?> list && list.isEmpty())
        || (content instanceof Map<?, ?> map && map.isEmpty())
        || (content instanceof Long number && number == 0);
  }

  private void put(ObjectNode node, String name, Object value, Timestamps timestamps) {
    Object present = value instanceof Optional<?> optional ? optional.orElse(null) : value;
    if (present != null) {
      node.set(name, encode(present, timestamps));
    }
  }

  private JsonNode encode(Object value, Timestamps timestamps) {
    if (value instanceof String text) {
      return NODES.textNode(text);
    } else if (value instanceof Boolean flag) {
      return NODES.booleanNode(flag);
    } else if (value instanceof Integer number) {
      return NODES.numberNode(number);
    } else if (value instanceof Long number) {
      return NODES.numberNode(number);
    } else if (value instanceof Quantity || value instanceof Enum<?>) {
      return NODES.textNode(value.toString());
    } else if (value instanceof Instant instant) {
      return NODES.textNode(timestamps.write(instant));
    } else if (value instanceof Collection<?> collection) {
      ArrayNode array = NODES.arrayNode();
      collection.forEach(element -> array.add(encode(element, timestamps)));
      return array;
    } else if (value instanceof Map<?, ?> map) {
      ObjectNode object = NODES.objectNode();
      map.forEach((key, element) -> object.set(key.toString(), encode(element, timestamps)));
      return object;
    } else if (value instanceof FieldsV1 fields) {
      return ManagedFieldsJson.read(fields);
    } else if (value instanceof Record nested) {
      return withDefaults(nested);
    }
    throw new IllegalArgumentException(value.getClass().getName() + " has no form in JSON");
  }
}
