package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A package has at most 40 top-level types, a file at most 500 lines, and an interface of an API
 * bundle at most 10 methods.
 */
final class SizeLimits implements LayoutRule {
  static final int TYPES = 40;
  static final int LINES = 500;
  static final int METHODS = 10;

  @Override
  public String name() {
    return "size";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    typesPerPackage(tree)
        .forEach(
            (packageName, types) -> {
              if (types > TYPES) {
                found.add(
                    Violation.of(
                        name(),
                        packageName,
                        types,
                        "%d types, at most %d".formatted(types, TYPES)));
              }
            });
    for (JavaFile file : tree.files()) {
      if (file.lines() > LINES) {
        found.add(
            Violation.of(
                name(),
                file.path(),
                file.lines(),
                "%d lines, at most %d".formatted(file.lines(), LINES)));
      }
    }
    for (Module module : tree.bundles()) {
      if (module.group().equals("api")) {
        tree.mainFiles(module).forEach(file -> checkInterfaces(file, found));
      }
    }
    return found;
  }

  /** Returns the number of top-level types of the main code per package. */
  static Map<String, Integer> typesPerPackage(ModuleTree tree) {
    Map<String, Integer> types = new TreeMap<>();
    for (JavaFile file : tree.mainFiles()) {
      types.merge(file.packageName(), file.types().size(), Integer::sum);
    }
    return types;
  }

  private void checkInterfaces(JavaFile file, List<Violation> found) {
    for (JavaType type : file.types()) {
      if (type.methods() > METHODS) {
        found.add(
            Violation.of(
                name(),
                file.packageName() + "." + type.name(),
                type.methods(),
                "%d methods, at most %d".formatted(type.methods(), METHODS)));
      }
    }
  }
}
