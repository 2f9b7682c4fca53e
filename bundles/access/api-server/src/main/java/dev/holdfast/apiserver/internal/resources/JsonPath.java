package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of JSONPath that printer columns use: {@code .a.b}, {@code [2]}, {@code ['a.b']}, {@code
 * [?(@.type=="Ready")]}. Returns the first match.
 */
final class JsonPath {
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([A-Za-z0-9_-]+)|\\[(\\d+)]|\\['([^']+)']|\\[\\?\\(@\\.(\\w+)==[\"']([^\"']*)[\"']\\)]");

  private final List<Step> steps;

  private interface Step {
    JsonNode of(JsonNode node);
  }

  private JsonPath(List<Step> steps) {
    this.steps = List.copyOf(steps);
  }

  static JsonPath parse(String text) {
    List<Step> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(text);
    int end = 0;
    while (matcher.find() && matcher.start() == end) {
      steps.add(step(matcher));
      end = matcher.end();
    }
    if (end != text.length()) {
      throw new IllegalArgumentException("\"" + text + "\" is not a JSON path of a column");
    }
    return new JsonPath(steps);
  }

  private static Step step(Matcher matcher) {
    if (matcher.group(1) != null) {
      String name = matcher.group(1);
      return node -> node.path(name);
    } else if (matcher.group(2) != null) {
      int index = Integer.parseInt(matcher.group(2));
      return node -> node.path(index);
    } else if (matcher.group(3) != null) {
      String name = matcher.group(3);
      return node -> node.path(name);
    }
    String field = matcher.group(4);
    String wanted = matcher.group(5);
    return node -> {
      for (JsonNode element : node) {
        if (element.path(field).asText().equals(wanted)) {
          return element;
        }
      }
      return MissingNode.getInstance();
    };
  }

  /** Returns the first match, or a missing node. */
  JsonNode of(JsonNode root) {
    JsonNode node = root;
    for (Step step : steps) {
      node = step.of(node);
    }
    return node;
  }
}
