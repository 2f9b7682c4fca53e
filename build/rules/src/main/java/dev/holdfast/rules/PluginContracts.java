package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A plugin sees {@code bundles/api}, {@code bundles/lib} and the bundles of its own, whose folders
 * have its name and a part. Only attachers see the controller and store APIs.
 */
final class PluginContracts implements LayoutRule {
  private static final String ATTACHERS = "attachers";
  private static final Set<String> FOR_ATTACHERS =
      Set.of("bundles/api/controller", "bundles/api/store");

  @Override
  public String name() {
    return "plugin-contracts";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    Map<String, Violation> found = new TreeMap<>();
    for (Module plugin : tree.bundles().stream().filter(Module::isPlugin).toList()) {
      for (JavaFile file : tree.mainFiles(plugin)) {
        for (String type : tree.references(file)) {
          for (String owner : tree.owners(ModuleTree.packageOf(type))) {
            tree.module(owner)
                .filter(used -> !isAllowed(plugin, used))
                .ifPresent(
                    used -> add(found, plugin, used, file.qualifiedName() + " uses " + type));
          }
        }
      }
      for (String artifact : plugin.dependencies()) {
        tree.withArtifact(artifact)
            .filter(used -> !isAllowed(plugin, used))
            .ifPresent(used -> add(found, plugin, used, "not a contract for plugins"));
      }
    }
    return new ArrayList<>(found.values());
  }

  private void add(Map<String, Violation> found, Module plugin, Module used, String message) {
    found.putIfAbsent(
        plugin.folder() + " " + used.folder(),
        Violation.between(name(), plugin.folder(), used.folder(), message));
  }

  private static boolean isAllowed(Module plugin, Module used) {
    if (plugin.folder().equals(used.folder())) {
      return true;
    }
    if (FOR_ATTACHERS.contains(used.folder())) {
      return plugin.top().equals(ATTACHERS);
    }
    return used.group().equals("api")
        || used.group().equals("lib")
        || used.folder().startsWith(plugin.folder() + "-");
  }
}
