package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * API bundles depend on the JDK, OSGi annotations and each other. The RPC API names gRPC in
 * addition, and no other API bundle depends on it.
 */
final class ApiDependencies implements LayoutRule {
  private static final String API = "api";
  private static final String RPC = "bundles/api/rpc";
  private static final String GRPC_BUNDLE = "bundles/lib/grpc";

  /** Annotations of OSGi become headers and descriptions. No class of the bundle needs them. */
  private static final List<String> ALLOWED =
      List.of("java.", "javax.", "org.osgi.annotation.", "org.osgi.service.component.annotations.");

  /** Annotations that only processors of the build read. They leave no trace in the bundle. */
  private static final List<String> BUILD_ONLY = List.of("io.soabase.recordbuilder.");

  private static final String BUILD = "build/";

  @Override
  public String name() {
    return "api-dependencies";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    for (Module module : tree.bundles()) {
      if (module.group().equals(API)) {
        for (String artifact : module.dependencies()) {
          tree.withArtifact(artifact)
              .filter(used -> !isAllowed(module, used))
              .ifPresent(
                  used ->
                      found.add(
                          Violation.between(
                              name(), module.folder(), used.folder(), "not for API bundles")));
        }
        tree.mainFiles(module).forEach(file -> checkFile(tree, module, file, found));
      }
    }
    return found;
  }

  private void checkFile(ModuleTree tree, Module module, JavaFile file, List<Violation> found) {
    Set<String> named = new TreeSet<>(file.imports());
    named.addAll(file.qualified());
    for (String name : named) {
      boolean known =
          startsWithOneOf(name, ALLOWED)
              || startsWithOneOf(name, BUILD_ONLY)
              || (module.folder().equals(RPC) && name.startsWith("io.grpc."));
      if (!known && !isOwn(tree, name)) {
        found.add(
            Violation.between(
                name(), file.qualifiedName(), name, "is not a type of an API bundle"));
      }
    }
    for (String type : tree.references(file)) {
      for (String owner : tree.owners(ModuleTree.packageOf(type))) {
        tree.module(owner)
            .filter(used -> !isAllowed(module, used))
            .ifPresent(
                used ->
                    found.add(
                        Violation.between(
                            name(), file.qualifiedName(), type, "stands in " + used.folder())));
      }
    }
  }

  private static boolean isOwn(ModuleTree tree, String name) {
    return tree.packages().stream().anyMatch(known -> name.startsWith(known + "."));
  }

  private static boolean isAllowed(Module module, Module used) {
    if (module.folder().equals(used.folder()) || used.folder().startsWith(BUILD)) {
      return true;
    }
    if (module.folder().equals(RPC) && used.folder().equals(GRPC_BUNDLE)) {
      return true;
    }
    return used.group().equals(API) && !used.folder().equals(RPC);
  }

  private static boolean startsWithOneOf(String name, List<String> prefixes) {
    return prefixes.stream().anyMatch(name::startsWith);
  }
}
