package dev.holdfast.resource.json.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Computes the fields of a tree and the difference of two trees. Pure functions. */
final class FieldWalk {
  private FieldWalk() {}

  /**
   * The difference of two trees.
   *
   * @param changed fields of the later tree with another value, or only there
   * @param removed fields of the earlier tree only
   */
  record Difference(FieldSet changed, FieldSet removed) {
    private static final Difference NONE = new Difference(FieldSet.EMPTY, FieldSet.EMPTY);
  }

  /**
   * Returns the parts of a value by their keys in a set of fields. A value that does not match the
   * schema has no parts: decoding reports it.
   */
  static Map<String, JsonNode> parts(JsonNode value, FieldSchema schema) {
    Map<String, JsonNode> parts = new LinkedHashMap<>();
    if (schema instanceof FieldSchema.Struct struct) {
      struct.fields().keySet().stream()
          .filter(value::hasNonNull)
          .forEach(name -> parts.put("f:" + name, value.get(name)));
    } else if (schema instanceof FieldSchema.Entries) {
      value.properties().stream()
          .filter(entry -> !entry.getValue().isNull())
          .forEach(entry -> parts.put("f:" + entry.getKey(), entry.getValue()));
    } else if (schema instanceof FieldSchema.KeyedList list && value.isArray()) {
      value.forEach(item -> parts.put(keyOf(item, list.key()), item));
    } else if (schema instanceof FieldSchema.ValueSet && value.isArray()) {
      value.forEach(item -> parts.put("v:" + item, item));
    }
    return parts;
  }

  static String keyOf(JsonNode item, String key) {
    ObjectNode named = JsonNodeFactory.instance.objectNode();
    named.set(key, item.path(key).isMissingNode() ? TextNode.valueOf("") : item.get(key));
    return "k:" + named;
  }

  /** Returns the schema of a part. */
  static FieldSchema part(FieldSchema schema, String key) {
    if (schema instanceof FieldSchema.Struct struct) {
      return struct.fields().getOrDefault(key.substring(2), FieldSchema.LEAF);
    } else if (schema instanceof FieldSchema.Entries entries) {
      return entries.value();
    }
    return schema instanceof FieldSchema.KeyedList list ? list.item() : FieldSchema.LEAF;
  }

  /** Returns whether the presence of a part is itself a field, beside the fields below it. */
  static boolean isItem(FieldSchema whole, FieldSchema part) {
    return whole instanceof FieldSchema.Struct
        ? part instanceof FieldSchema.Struct struct && struct.optional()
        : !(part instanceof FieldSchema.Leaf);
  }

  /** Returns the fields of a value. */
  static FieldSet fields(JsonNode value, FieldSchema schema) {
    if (schema instanceof FieldSchema.Leaf) {
      return FieldSet.LEAF;
    }
    Map<String, FieldSet> children = new TreeMap<>();
    parts(value, schema)
        .forEach((key, child) -> children.put(key, itemFields(child, schema, part(schema, key))));
    return FieldSet.of(false, children);
  }

  private static FieldSet itemFields(JsonNode value, FieldSchema whole, FieldSchema part) {
    FieldSet below = fields(value, part);
    return isItem(whole, part) ? below.union(FieldSet.LEAF) : below;
  }

  /** Returns the difference of two values. */
  static Difference difference(JsonNode before, JsonNode after, FieldSchema schema) {
    if (schema instanceof FieldSchema.Leaf) {
      return before.equals(after) ? Difference.NONE : new Difference(FieldSet.LEAF, FieldSet.EMPTY);
    }
    Map<String, JsonNode> earlier = parts(before, schema);
    Map<String, JsonNode> later = parts(after, schema);
    Map<String, FieldSet> changed = new TreeMap<>();
    Map<String, FieldSet> removed = new TreeMap<>();
    later.forEach(
        (key, value) -> {
          FieldSchema part = part(schema, key);
          if (earlier.containsKey(key)) {
            Difference below = difference(earlier.get(key), value, part);
            changed.put(key, below.changed());
            removed.put(key, below.removed());
          } else {
            changed.put(key, itemFields(value, schema, part));
          }
        });
    earlier.forEach(
        (key, value) -> {
          if (!later.containsKey(key)) {
            removed.put(key, itemFields(value, schema, part(schema, key)));
          }
        });
    return new Difference(FieldSet.of(false, changed), FieldSet.of(false, removed));
  }
}
