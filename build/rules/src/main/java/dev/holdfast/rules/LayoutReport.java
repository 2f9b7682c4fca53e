package dev.holdfast.rules;

import java.nio.file.Path;
import java.util.List;

/** Prints the violations of the layout rules and the counts of the tree at a path. */
public final class LayoutReport {
  private LayoutReport() {}

  public static void main(String[] arguments) {
    ModuleTree tree = ModuleTree.read(Path.of(arguments[0]));
    boolean all = List.of(arguments).contains("--violations");
    ExceptionList exceptions = ExceptionList.ofTheTree();
    for (LayoutRule rule : LayoutRule.all()) {
      List<Violation> found = rule.check(tree);
      if (all) {
        found.forEach(System.out::println);
      }
      System.out.printf(
          "%-48s %6d, listed exceptions %d%n",
          "violations of " + rule.name(), found.size(), exceptions.size(rule));
    }
    new LayoutCounts(tree).lines().forEach(System.out::println);
  }
}
