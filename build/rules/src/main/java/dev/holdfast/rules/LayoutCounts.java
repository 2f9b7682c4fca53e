package dev.holdfast.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts that show how large and how regular the tree is. */
final class LayoutCounts {
  private static final String VOLUME_LABEL = "holdfast.dev/volume";
  private static final String FIRST_OF_ATTACH_PATH = "EngineReconciler";

  private final ModuleTree tree;

  LayoutCounts(ModuleTree tree) {
    this.tree = tree;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    SizeLimits.typesPerPackage(tree).entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .ifPresent(
            most ->
                lines.add(line("types of the largest package", most.getValue(), most.getKey())));
    lines.add(line("files over 500 lines", longFiles().size(), String.join(", ", longFiles())));
    addPoms(lines);
    lines.add(line("bundles", tree.bundles().size(), bundlesPerGroup().toString()));
    lines.add(line("entries at the top", entries().size(), String.join(" ", entries())));
    Set<String> duplicates = ExportedNames.duplicates(tree).keySet();
    lines.add(
        line("simple names of several types", duplicates.size(), String.join(" ", duplicates)));
    lines.add(line("further public constructors of records", furtherConstructors(), ""));
    lines.add(line("literals " + VOLUME_LABEL, volumeLiterals(), ""));
    lines.add(
        line(
            "modules without README.md",
            withoutReadme().size(),
            String.join(" ", withoutReadme())));
    lines.add(
        line("classes of the attach path", attachPath().size(), String.join(" ", attachPath())));
    return lines;
  }

  private static String line(String what, long count, String details) {
    return "%-48s %6d%s".formatted(what, count, details.isEmpty() ? "" : "  " + details);
  }

  private List<String> longFiles() {
    return tree.files().stream()
        .filter(file -> file.lines() > SizeLimits.LINES)
        .map(JavaFile::path)
        .toList();
  }

  private void addPoms(List<String> lines) {
    int sum = tree.modules().stream().mapToInt(Module::pomLines).sum();
    List<Integer> sorted = tree.bundles().stream().map(Module::pomLines).sorted().toList();
    lines.add(line("lines of all poms", sum, tree.modules().size() + " poms"));
    tree.module("")
        .ifPresent(root -> lines.add(line("lines of the root pom", root.pomLines(), "")));
    if (!sorted.isEmpty()) {
      lines.add(line("lines of a bundle's pom, median", sorted.get(sorted.size() / 2), ""));
    }
  }

  private Map<String, Long> bundlesPerGroup() {
    return tree.bundles().stream()
        .collect(
            Collectors.groupingBy(
                bundle -> bundle.isPlugin() ? bundle.top() : bundle.group(),
                TreeMap::new,
                Collectors.counting()));
  }

  private List<String> entries() {
    try (Stream<Path> children = Files.list(tree.root())) {
      return children
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.startsWith(".") && !name.equals("target"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int furtherConstructors() {
    return tree.mainFiles().stream()
        .flatMap(file -> file.types().stream())
        .mapToInt(JavaType::furtherConstructors)
        .sum();
  }

  private long volumeLiterals() {
    return tree.bundles().stream()
        .flatMap(bundle -> tree.mainFiles(bundle).stream())
        .flatMap(file -> file.literals().stream())
        .filter(VOLUME_LABEL::equals)
        .count();
  }

  private List<String> withoutReadme() {
    return tree.modules().stream()
        .filter(module -> module.isBundle() || module.folder().matches("(build|itests).*"))
        .map(Module::folder)
        .filter(folder -> !Files.isRegularFile(tree.root().resolve(folder).resolve("README.md")))
        .toList();
  }

  /** The classes of its bundle that are reached from the reconciler that opens volumes. */
  private Set<String> attachPath() {
    Set<String> reached = new TreeSet<>();
    Deque<JavaFile> open = new ArrayDeque<>();
    tree.mainFiles().stream()
        .filter(file -> file.simpleName().equals(FIRST_OF_ATTACH_PATH))
        .forEach(open::add);
    while (!open.isEmpty()) {
      JavaFile file = open.pop();
      if (reached.add(file.simpleName())) {
        tree.references(file).stream()
            .flatMap(type -> tree.declaring(type).stream())
            .filter(used -> used.module().equals(file.module()))
            .forEach(open::add);
      }
    }
    return reached;
  }
}
