package dev.holdfast.engine.spdk.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Differences between a recorded result and a simulated one: names and types of all members, and
 * values except identifiers that a target makes, clocks and counters.
 */
final class AnswerComparison {
  private static final Pattern IDENTIFIER =
      Pattern.compile(
          "(nqn\\.2014-08\\.org\\.nvmexpress:uuid:)?\\p{XDigit}{8}-?(\\p{XDigit}{4}-?){3}"
              + "\\p{XDigit}{12}");
  private static final Set<String> LISTS_OF_THE_BUILD =
      Set.of("rpc_get_methods", "framework_get_subsystems");
  private static final Set<String> NOT_COMPARED =
      Set.of(
          "version",
          "minor",
          "patch",
          "suffix",
          "ticks",
          "cntlid",
          "copied_clusters",
          "percent",
          "num_io_qpairs",
          "blocks");

  private final Set<String> ignored;
  private final List<String> differences = new ArrayList<>();

  private AnswerComparison(Set<String> ignored) {
    this.ignored = ignored;
  }

  /**
   * Compares.
   *
   * @param ignored names of further members whose values are not compared
   */
  static List<String> compare(
      String method, JsonNode recorded, JsonNode simulated, Set<String> ignored) {
    AnswerComparison comparison = new AnswerComparison(ignored);
    if (LISTS_OF_THE_BUILD.contains(method)) {
      comparison.sameFirst(recorded, simulated);
    } else {
      comparison.same("", "", recorded, simulated);
    }
    return comparison.differences;
  }

  /** Lists whose length depends on how a target was built. */
  private void sameFirst(JsonNode recorded, JsonNode simulated) {
    if (!recorded.isArray() || !simulated.isArray() || simulated.isEmpty()) {
      differences.add("expected a list: " + simulated);
    } else if (recorded.get(0).getNodeType() != simulated.get(0).getNodeType()) {
      differences.add("expected items like " + recorded.get(0) + ": " + simulated.get(0));
    } else if (recorded.get(0).isObject()) {
      sameNames("[0]", recorded.get(0), simulated.get(0));
    }
  }

  private void same(String path, String name, JsonNode recorded, JsonNode simulated) {
    if (recorded.getNodeType() != simulated.getNodeType()) {
      differences.add(path + ": expected " + recorded + ", found " + simulated);
    } else if (recorded.isObject()) {
      sameNames(path, recorded, simulated);
      recorded
          .properties()
          .forEach(
              member -> {
                if (simulated.has(member.getKey())) {
                  same(
                      path + "." + member.getKey(),
                      member.getKey(),
                      member.getValue(),
                      simulated.get(member.getKey()));
                }
              });
    } else if (recorded.isArray()) {
      sameItems(path, name, recorded, simulated);
    } else if (!ignored.contains(name)
        && !NOT_COMPARED.contains(name)
        && !name.endsWith("_latency_ticks")
        && !value(recorded).equals(value(simulated))) {
      differences.add(path + ": expected " + recorded + ", found " + simulated);
    }
  }

  private void sameNames(String path, JsonNode recorded, JsonNode simulated) {
    Set<String> expected = names(recorded);
    Set<String> found = names(simulated);
    if (!expected.equals(found)) {
      Set<String> missing = new TreeSet<>(expected);
      missing.removeAll(found);
      found.removeAll(expected);
      differences.add(path + ": missing members " + missing + ", further members " + found);
    }
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private void sameItems(String path, String name, JsonNode recorded, JsonNode simulated) {
    if (recorded.size() != simulated.size()) {
      differences.add(path + ": expected " + recorded.size() + " items, found " + simulated);
      return;
    }
    for (int i = 0; i < recorded.size(); i++) {
      same(path + "[" + i + "]", name, recorded.get(i), simulated.get(i));
    }
  }

  private static String value(JsonNode node) {
    return IDENTIFIER.matcher(node.asText()).matches() ? "identifier" : node.asText();
  }
}
