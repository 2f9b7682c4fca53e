package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A package below {@code internal} is used by its own bundle only, a package that is not exported
 * stands below {@code internal}, and a package is in one module.
 */
final class InternalPackages implements LayoutRule {
  @Override
  public String name() {
    return "internal-packages";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    for (String packageName : tree.packages()) {
      Set<String> owners = tree.owners(packageName);
      if (owners.size() > 1) {
        found.add(
            Violation.of(
                name(), packageName, owners.size(), "stands in " + String.join(", ", owners)));
      }
      boolean inBundle =
          owners.stream().flatMap(owner -> tree.module(owner).stream()).anyMatch(Module::isBundle);
      if (inBundle && !tree.isExported(packageName) && !isInternal(packageName)) {
        found.add(Violation.of(name(), packageName, 1, "is neither exported nor below internal"));
      }
    }
    tree.mainFiles().forEach(file -> checkUses(tree, file, found));
    return found;
  }

  private void checkUses(ModuleTree tree, JavaFile file, List<Violation> found) {
    for (String type : tree.references(file)) {
      String used = ModuleTree.packageOf(type);
      Set<String> owners = tree.owners(used);
      if (isInternal(used) && !owners.isEmpty() && !owners.contains(file.module())) {
        found.add(
            Violation.between(name(), file.qualifiedName(), type, "is internal to another bundle"));
      }
    }
  }

  private static boolean isInternal(String packageName) {
    return (packageName + ".").contains(".internal.");
  }
}
