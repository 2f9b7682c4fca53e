package dev.holdfast.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The packages of a module depend on each other in one direction. Imports for Javadoc count. */
final class PackageCycles implements LayoutRule {
  @Override
  public String name() {
    return "package-cycle";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    for (Module module : tree.modules()) {
      found.addAll(check(tree, module));
    }
    return found;
  }

  private List<Violation> check(ModuleTree tree, Module module) {
    Map<String, Map<String, String>> edges = edges(tree, module);
    Map<String, Set<String>> reached = new TreeMap<>();
    edges.keySet().forEach(from -> reached.put(from, reachable(from, edges)));
    List<Violation> found = new ArrayList<>();
    edges.forEach(
        (from, uses) ->
            uses.forEach(
                (to, example) -> {
                  // Each pair is reported once, from the package that comes first.
                  boolean cycle = reached.getOrDefault(to, Set.of()).contains(from);
                  boolean mutual = edges.getOrDefault(to, Map.of()).containsKey(from);
                  if (cycle && (!mutual || from.compareTo(to) < 0)) {
                    String back = mutual ? ", " + edges.get(to).get(from) : " in a longer cycle";
                    found.add(Violation.between(name(), from, to, example + back));
                  }
                }));
    return found;
  }

  /** Returns for each package the used packages of the same module, each with an example. */
  private static Map<String, Map<String, String>> edges(ModuleTree tree, Module module) {
    Map<String, Map<String, String>> edges = new TreeMap<>();
    for (JavaFile file : tree.mainFiles(module)) {
      for (String type : tree.references(file)) {
        String used = ModuleTree.packageOf(type);
        if (!used.equals(file.packageName()) && tree.owners(used).contains(module.folder())) {
          edges
              .computeIfAbsent(file.packageName(), name -> new TreeMap<>())
              .putIfAbsent(used, file.simpleName() + " uses " + type);
        }
      }
    }
    return edges;
  }

  private static Set<String> reachable(String start, Map<String, Map<String, String>> edges) {
    Set<String> seen = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(Set.of(start));
    Set<String> visited = new HashSet<>();
    while (!open.isEmpty()) {
      String at = open.pop();
      if (visited.add(at)) {
        Set<String> next = edges.getOrDefault(at, Map.of()).keySet();
        seen.addAll(next);
        open.addAll(next);
      }
    }
    return seen;
  }
}
