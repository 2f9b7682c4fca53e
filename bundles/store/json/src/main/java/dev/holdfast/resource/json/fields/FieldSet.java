package dev.holdfast.resource.json.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * A set of fields as a tree, in the syntax of Kubernetes' {@code FieldsV1}. The prefix {@code f:}
 * marks a field or the key of a map, {@code k:} the key of a list item, {@code v:} a value of a
 * set. Immutable.
 *
 * @param member whether the set contains the field at this place itself
 * @param children parts of the set below it, without empty sets
 */
record FieldSet(boolean member, SortedMap<String, FieldSet> children) {
  static final FieldSet EMPTY = new FieldSet(false, new TreeMap<>());
  static final FieldSet LEAF = new FieldSet(true, new TreeMap<>());

  private static final String SELF = ".";

  FieldSet {
    children = Collections.unmodifiableSortedMap(new TreeMap<>(children));
  }

  static FieldSet of(boolean member, Map<String, FieldSet> children) {
    TreeMap<String, FieldSet> present = new TreeMap<>(children);
    present.values().removeIf(FieldSet::isEmpty);
    return new FieldSet(member, present);
  }

  /** Reads a set; a value other than an object has no children. */
  static FieldSet read(JsonNode tree) {
    TreeMap<String, FieldSet> children = new TreeMap<>();
    for (Map.Entry<String, JsonNode> child : tree.properties()) {
      if (!child.getKey().equals(SELF)) {
        children.put(child.getKey(), readChild(child.getValue()));
      }
    }
    return of(tree.has(SELF), children);
  }

  private static FieldSet readChild(JsonNode tree) {
    return tree.isEmpty() ? LEAF : read(tree);
  }

  ObjectNode tree() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    if (member && !children.isEmpty()) {
      node.putObject(SELF);
    }
    children.forEach((key, child) -> node.set(key, child.tree()));
    return node;
  }

  boolean isEmpty() {
    return !member && children.isEmpty();
  }

  FieldSet child(String key) {
    return children.getOrDefault(key, EMPTY);
  }

  FieldSet union(FieldSet other) {
    return combined(other, (mine, theirs) -> mine || theirs);
  }

  FieldSet minus(FieldSet other) {
    return combined(other, (mine, theirs) -> mine && !theirs);
  }

  FieldSet intersection(FieldSet other) {
    return combined(other, (mine, theirs) -> mine && theirs);
  }

  private FieldSet combined(FieldSet other, BinaryOperator<Boolean> rule) {
    TreeMap<String, FieldSet> keys = new TreeMap<>(children);
    other.children.forEach(keys::putIfAbsent);
    TreeMap<String, FieldSet> result = new TreeMap<>();
    keys.keySet().forEach(key -> result.put(key, child(key).combined(other.child(key), rule)));
    return of(rule.apply(member, other.member), result);
  }

  /** Returns the fields in readable form, for example {@code .spec.size}. */
  List<String> paths() {
    List<String> paths = new ArrayList<>();
    collect("", paths);
    return paths;
  }

  private void collect(String prefix, List<String> paths) {
    if (member) {
      paths.add(prefix);
    }
    children.forEach((key, child) -> child.collect(prefix + shown(key), paths));
  }

  private static String shown(String key) {
    String rest = key.substring(Math.min(2, key.length()));
    return switch (key.substring(0, Math.min(2, key.length()))) {
      case "k:" -> "[" + rest.replaceAll("[{}\"]", "").replace(":", "=") + "]";
      case "v:" -> "[=" + rest + "]";
      default -> "." + rest;
    };
  }
}
