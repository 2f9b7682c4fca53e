package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * A record has one public constructor, the canonical one. Each further one is a promise of its own;
 * withers, builders and named factories serve the same callers.
 */
final class RecordConstructors implements LayoutRule {
  @Override
  public String name() {
    return "record-constructors";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    for (JavaFile file : tree.mainFiles()) {
      for (JavaType type : file.types()) {
        if (type.furtherConstructors() > 0) {
          found.add(
              Violation.of(
                  name(),
                  file.packageName() + "." + type.name(),
                  type.furtherConstructors(),
                  "%d public constructors beside the canonical one: use withers or a factory"
                      .formatted(type.furtherConstructors())));
        }
      }
    }
    return found;
  }
}
