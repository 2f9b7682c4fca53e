package dev.holdfast.resource.json.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Merges the fields that a client applies into an object, and removes fields that the client no
 * longer applies.
 */
final class FieldMerge {
  private FieldMerge() {}

  /** Returns the live value with all applied fields; ignores null in the applied object. */
  static JsonNode merge(JsonNode live, JsonNode applied, FieldSchema schema) {
    boolean list =
        schema instanceof FieldSchema.KeyedList || schema instanceof FieldSchema.ValueSet;
    if (list && applied.isArray()) {
      return mergeLists(live, applied, schema);
    } else if (schema instanceof FieldSchema.Leaf || list || !applied.isObject()) {
      return applied.deepCopy();
    }
    ObjectNode result = live.isObject() ? live.deepCopy() : JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : applied.properties()) {
      if (!field.getValue().isNull()) {
        FieldSchema part = FieldWalk.part(schema, "f:" + field.getKey());
        result.set(field.getKey(), merge(result.path(field.getKey()), field.getValue(), part));
      }
    }
    return result;
  }

  private static ArrayNode mergeLists(JsonNode live, JsonNode applied, FieldSchema schema) {
    Map<String, JsonNode> items = new LinkedHashMap<>(FieldWalk.parts(live, schema));
    FieldWalk.parts(applied, schema)
        .forEach(
            (key, item) ->
                items.merge(
                    key, item, (mine, theirs) -> merge(mine, theirs, FieldWalk.part(schema, key))));
    ArrayNode result = JsonNodeFactory.instance.arrayNode();
    items.values().forEach(result::add);
    return result;
  }

  /**
   * Returns a value without some fields. An item is removed as a whole unless one of its fields is
   * kept.
   *
   * @param gone fields to remove
   * @param kept fields with a manager, which stay
   */
  static JsonNode without(JsonNode value, FieldSet gone, FieldSet kept, FieldSchema schema) {
    Map<String, JsonNode> rest = new LinkedHashMap<>();
    FieldWalk.parts(value, schema)
        .forEach(
            (key, item) -> {
              FieldSet goneHere = gone.child(key);
              boolean whole = goneHere.member() && kept.child(key).isEmpty();
              if (!whole) {
                FieldSchema part = FieldWalk.part(schema, key);
                rest.put(key, without(item, goneHere, kept.child(key), part));
              }
            });
    if (value.isArray() && !(schema instanceof FieldSchema.Leaf)) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      rest.values().forEach(list::add);
      return list;
    } else if (!value.isObject() || schema instanceof FieldSchema.Leaf) {
      return value;
    }
    ObjectNode object = value.deepCopy();
    FieldWalk.parts(value, schema).keySet().stream()
        .filter(key -> !rest.containsKey(key))
        .forEach(key -> object.remove(key.substring(2)));
    rest.forEach((key, item) -> object.set(key.substring(2), item));
    return object;
  }
}
