package dev.holdfast.language;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Checks the language of files of the tree. */
public final class LanguageCheck {
  private final SourceTree tree;
  private final Exceptions exceptions;

  LanguageCheck(SourceTree tree, Exceptions exceptions) {
    this.tree = tree;
    this.exceptions = exceptions;
  }

  /** Returns the violations below a path of the tree, the permitted ones left out. */
  List<Finding> check(String below) {
    List<Finding> found = new ArrayList<>();
    for (String file : tree.files(below)) {
      for (Passage passage : tree.passages(file)) {
        found.addAll(check(file, passage));
      }
    }
    found.removeIf(exceptions::permit);
    return found;
  }

  /** Returns the violations in one passage. */
  static List<Finding> check(String file, Passage passage) {
    List<Finding> found = new ArrayList<>();
    Vocabulary.RULES.forEach(rule -> found.addAll(rule.check(file, passage)));
    found.addAll(Sentences.check(file, passage));
    found.sort(Comparator.comparingInt(Finding::line));
    return found;
  }

  /** Prints the violations below the given paths: {@code ROOT [PATH…]}. Exits with 1 if any. */
  public static void main(String[] args) {
    LanguageCheck check =
        new LanguageCheck(new SourceTree(Path.of(args[0])), Exceptions.ofTheTree());
    List<String> paths = args.length == 1 ? List.of("") : List.of(args).subList(1, args.length);
    List<Finding> found = new ArrayList<>();
    paths.forEach(path -> found.addAll(check.check(path)));
    found.forEach(System.out::println);
    System.out.printf("%d violations%n", found.size());
    System.exit(found.isEmpty() ? 0 : 1);
  }
}
