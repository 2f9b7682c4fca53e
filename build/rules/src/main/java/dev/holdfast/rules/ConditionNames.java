package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A condition's type or reason that several modules know is a constant beside its kind: of the
 * files that use {@code Condition} or declare reasons, no two modules have the same literal in
 * CamelCase. Kits are test code.
 */
final class ConditionNames implements LayoutRule {
  private static final Pattern NAME = Pattern.compile("[A-Z][a-z]+(?:[A-Z][a-z]+)*");

  @Override
  public String name() {
    return "condition-names";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    Map<String, Set<String>> modules = new TreeMap<>();
    Map<String, Set<String>> places = new TreeMap<>();
    for (Module module : tree.bundles()) {
      if (!module.group().equals("testkit")) {
        for (JavaFile file : tree.mainFiles(module)) {
          for (String name : names(file)) {
            modules.computeIfAbsent(name, key -> new TreeSet<>()).add(file.module());
            places.computeIfAbsent(name, key -> new TreeSet<>()).add(file.qualifiedName());
          }
        }
      }
    }
    List<Violation> found = new ArrayList<>();
    modules.forEach(
        (name, where) -> {
          if (where.size() > 1) {
            String problem =
                "is a literal in "
                    + String.join(", ", places.get(name))
                    + ": use a constant beside the kind";
            found.add(Violation.of(name(), name, where.size(), problem));
          }
        });
    return found;
  }

  private static List<String> names(JavaFile file) {
    boolean reports =
        file.names().contains("Condition") || file.simpleName().matches(".*(Reasons|Conditions)");
    return reports
        ? file.literals().stream().filter(text -> NAME.matcher(text).matches()).toList()
        : List.of();
  }
}
