package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Main code depends on no class that implements {@code Reconciler}; the container creates it. */
final class ReconcilerUse implements LayoutRule {
  private static final String RECONCILER = "Reconciler";

  @Override
  public String name() {
    return "reconciler-use";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    Set<String> reconcilers = reconcilers(tree);
    List<Violation> found = new ArrayList<>();
    for (JavaFile file : tree.mainFiles()) {
      for (String type : tree.references(file)) {
        if (reconcilers.contains(type)) {
          found.add(
              Violation.between(
                  name(), file.qualifiedName(), type, "depends on a concrete reconciler"));
        }
      }
    }
    return found;
  }

  private static Set<String> reconcilers(ModuleTree tree) {
    Set<String> kinds = new TreeSet<>(Set.of(RECONCILER));
    Set<String> found = new TreeSet<>();
    int before;
    do {
      before = kinds.size();
      for (JavaFile file : tree.mainFiles()) {
        for (JavaType type : file.types()) {
          if (type.supertypes().stream().anyMatch(kinds::contains)) {
            kinds.add(type.name());
            if (type.isConcreteClass()) {
              found.add(file.packageName() + "." + type.name());
            }
          }
        }
      }
    } while (kinds.size() > before);
    return found;
  }
}
