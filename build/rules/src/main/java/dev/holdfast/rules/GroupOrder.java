package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A bundle depends on its own group below {@code bundles} and on groups further left: api, lib,
 * cluster, store and data, control, access, testkit. Kits may see all. Dependencies of tests do not
 * count.
 */
final class GroupOrder implements LayoutRule {
  private static final Map<String, Integer> ORDER =
      Map.of(
          "api", 0, "lib", 1, "cluster", 2, "store", 3, "data", 3, "control", 4, "access", 5,
          "testkit", 6);

  /** Nests a third-party library and contains no code of this project. */
  private static final Set<String> THIRD_PARTY = Set.of("bundles/lib/grpc");

  @Override
  public String name() {
    return "group-order";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    Map<String, Violation> found = new TreeMap<>();
    for (Module module : tree.bundles()) {
      if (module.group().isEmpty()) {
        continue;
      }
      if (!ORDER.containsKey(module.group())) {
        add(found, module.folder(), "bundles", "the group has no place in the order");
        continue;
      }
      for (String artifact : module.dependencies()) {
        tree.withArtifact(artifact)
            .filter(used -> isAgainstOrder(module, used))
            .ifPresent(
                used -> add(found, module.folder(), used.folder(), "against the group order"));
      }
      tree.mainFiles(module).forEach(file -> checkFile(tree, module, file, found));
    }
    return new ArrayList<>(found.values());
  }

  private void checkFile(
      ModuleTree tree, Module module, JavaFile file, Map<String, Violation> found) {
    for (String type : tree.references(file)) {
      for (String owner : tree.owners(ModuleTree.packageOf(type))) {
        tree.module(owner)
            .filter(used -> isAgainstOrder(module, used))
            .ifPresent(
                used ->
                    found.putIfAbsent(
                        module.folder() + " " + used.folder(),
                        Violation.between(
                            name(),
                            module.folder(),
                            used.folder(),
                            file.qualifiedName() + " uses " + type)));
      }
    }
  }

  private void add(Map<String, Violation> found, String from, String to, String message) {
    found.put(from + " " + to, Violation.between(name(), from, to, message));
  }

  private static boolean isAgainstOrder(Module module, Module used) {
    if (module.folder().equals(used.folder())
        || module.group().equals("testkit")
        || module.group().equals(used.group())
        || THIRD_PARTY.contains(used.folder())) {
      return false;
    }
    if (used.isPlugin()) {
      return true;
    }
    return ORDER.containsKey(used.group()) && ORDER.get(used.group()) >= ORDER.get(module.group());
  }
}
