package dev.holdfast.apiserver.internal.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** JSON patches (RFC 6902). */
public final class JsonPatch {
  private static final int MAX_OPERATIONS = 10_000;

  private JsonPatch() {}

  /**
   * Returns the document with all operations applied. Modifies the given document.
   *
   * @throws PatchException when an operation is malformed or cannot be applied
   */
  public static JsonNode apply(JsonNode document, JsonNode patch) throws PatchException {
    if (!patch.isArray()) {
      throw new PatchException("a JSON patch must be a list of operations");
    }
    if (patch.size() > MAX_OPERATIONS) {
      throw new PatchException("a JSON patch must have at most " + MAX_OPERATIONS + " operations");
    }
    JsonNode result = document;
    for (JsonNode operation : patch) {
      result = applyOne(result, operation);
    }
    return result;
  }

  private static JsonNode applyOne(JsonNode document, JsonNode operation) throws PatchException {
    List<String> path = pointer(operation, "path");
    String name = operation.path("op").asText();
    return switch (name) {
      case "add" -> add(document, path, value(operation));
      case "remove" -> remove(document, path);
      case "replace" -> replace(document, path, value(operation));
      case "move" -> {
        List<String> from = pointer(operation, "from");
        if (path.size() > from.size() && path.subList(0, from.size()).equals(from)) {
          throw new PatchException("cannot move " + text(from) + " into itself");
        }
        JsonNode moved = find(document, from);
        yield add(remove(document, from), path, moved);
      }
      case "copy" -> add(document, path, find(document, pointer(operation, "from")).deepCopy());
      case "test" -> {
        if (!same(find(document, path), value(operation))) {
          throw new PatchException("the test of " + text(path) + " failed");
        }
        yield document;
      }
      default -> throw new PatchException("unknown operation \"" + name + "\"");
    };
  }

  /** Compares values. Numbers of different types are equal if their values are. */
  private static boolean same(JsonNode a, JsonNode b) {
    return a.equals(
        (x, y) ->
            x.isNumber() && y.isNumber()
                ? x.decimalValue().compareTo(y.decimalValue())
                : (x.equals(y) ? 0 : 1),
        b);
  }

  private static JsonNode value(JsonNode operation) throws PatchException {
    JsonNode value = operation.get("value");
    if (value == null) {
      throw new PatchException("operation \"" + operation.path("op").asText() + "\" needs a value");
    }
    return value.deepCopy();
  }

  private static List<String> pointer(JsonNode operation, String field) throws PatchException {
    String pointer = operation.path(field).asText(null);
    if (pointer == null || !(pointer.isEmpty() || pointer.startsWith("/"))) {
      throw new PatchException(
          "operation \""
              + operation.path("op").asText()
              + "\" needs a JSON pointer in \""
              + field
              + "\"");
    }
    List<String> steps = new ArrayList<>();
    String[] parts = pointer.split("/", -1);
    for (int i = 1; i < parts.length; i++) {
      steps.add(parts[i].replace("~1", "/").replace("~0", "~"));
    }
    return steps;
  }

  private static JsonNode find(JsonNode document, List<String> path) throws PatchException {
    JsonNode node = document;
    for (String step : path) {
      JsonNode next = node.isArray() ? node.get(index(node, step, path)) : node.get(step);
      if (next == null) {
        throw new PatchException("no value at " + text(path));
      }
      node = next;
    }
    return node;
  }

  private static int index(JsonNode array, String step, List<String> path) throws PatchException {
    if (step.matches("0|[1-9]\\d{0,8}")) {
      int index = Integer.parseInt(step);
      if (index < array.size()) {
        return index;
      }
    }
    throw new PatchException(
        "\"" + step + "\" in " + text(path) + " is not an element of a list of " + array.size());
  }

  private static JsonNode add(JsonNode document, List<String> path, JsonNode value)
      throws PatchException {
    if (path.isEmpty()) {
      return value;
    }
    String last = path.get(path.size() - 1);
    JsonNode parent = find(document, path.subList(0, path.size() - 1));
    if (parent instanceof ArrayNode array) {
      if (last.equals("-") || last.equals(Integer.toString(array.size()))) {
        array.add(value);
      } else {
        array.insert(index(array, last, path), value);
      }
    } else if (parent instanceof ObjectNode object) {
      object.set(last, value);
    } else {
      throw new PatchException("the parent of " + text(path) + " is neither object nor list");
    }
    return document;
  }

  private static JsonNode remove(JsonNode document, List<String> path) throws PatchException {
    if (path.isEmpty()) {
      throw new PatchException("the whole document cannot be removed");
    }
    find(document, path);
    String last = path.get(path.size() - 1);
    JsonNode parent = find(document, path.subList(0, path.size() - 1));
    if (parent instanceof ArrayNode array) {
      array.remove(index(array, last, path));
    } else if (parent instanceof ObjectNode object) {
      object.remove(last);
    }
    return document;
  }

  private static JsonNode replace(JsonNode document, List<String> path, JsonNode value)
      throws PatchException {
    if (path.isEmpty()) {
      return value;
    }
    find(document, path);
    String last = path.get(path.size() - 1);
    JsonNode parent = find(document, path.subList(0, path.size() - 1));
    if (parent instanceof ArrayNode array) {
      array.set(index(array, last, path), value);
    } else if (parent instanceof ObjectNode object) {
      object.set(last, value);
    }
    return document;
  }

  private static String text(List<String> path) {
    return "\"/" + String.join("/", path) + "\"";
  }

  /** Thrown for a malformed patch, or one that does not fit its document. */
  public static final class PatchException extends Exception {
    private static final long serialVersionUID = 1L;

    PatchException(String message) {
      super(message);
    }
  }
}
