package dev.holdfast.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Labels, annotations and finalizers of resources are constants beside their kind: outside of
 * {@code bundles/api}, main code has no literal with {@code holdfast.dev/}. Kits are test code;
 * paths, in which a slash precedes, are not such names. Nor has it a literal from which the name of
 * a volume's engine follows: the volume's status names it.
 */
final class ResourceNames implements LayoutRule {
  private static final Pattern NAME =
      Pattern.compile("(?<![/\\w.])(?:\\w+\\.)*holdfast\\.dev/\\S*|^-e-\\d+$");
  private static final Set<String> EXEMPT = Set.of("api", "testkit");

  @Override
  public String name() {
    return "resource-names";
  }

  @Override
  public List<Violation> check(ModuleTree tree) {
    List<Violation> found = new ArrayList<>();
    for (Module module : tree.bundles()) {
      if (!EXEMPT.contains(module.group())) {
        tree.mainFiles(module).forEach(file -> check(file, found));
      }
    }
    return found;
  }

  private void check(JavaFile file, List<Violation> found) {
    Set<String> literals = new TreeSet<>();
    for (String literal : file.literals()) {
      NAME.matcher(literal).results().forEach(name -> literals.add(name.group()));
    }
    if (!literals.isEmpty()) {
      String problem =
          String.join(", ", literals)
              + ": is a literal: use the constant beside the kind, or the name in the status";
      found.add(Violation.of(name(), file.qualifiedName(), literals.size(), problem));
    }
  }
}
