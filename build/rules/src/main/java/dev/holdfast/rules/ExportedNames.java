package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The simple name of an exported type stands nowhere else in the main code. Other names may stand
 * twice where parallel bundles have the same role; an exception lists each of them.
 */
final class ExportedNames implements LayoutRule {
  @Override
  public String name() {
    return "simple-name";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    duplicates(tree)
        .forEach(
            (simple, types) -> {
              boolean exported =
                  types.stream().anyMatch(type -> tree.isExported(ModuleTree.packageOf(type)));
              found.add(
                  Violation.of(
                      name(),
                      simple,
                      types.size(),
                      (exported ? "exported and again: " : "several types: ")
                          + String.join(", ", types)));
            });
    return found;
  }

  /** Returns the simple names of several top-level types, with the types. */
  static Map<String, Set<String>> duplicates(ModuleTree tree) {
    Map<String, Set<String>> types = new TreeMap<>();
    for (JavaFile file : tree.mainFiles()) {
      for (JavaType type : file.types()) {
        types
            .computeIfAbsent(type.name(), name -> new TreeSet<>())
            .add(file.packageName() + "." + type.name());
      }
    }
    types.values().removeIf(same -> same.size() < 2);
    return types;
  }
}
