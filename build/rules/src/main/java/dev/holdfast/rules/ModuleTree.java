package dev.holdfast.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The modules and the Java sources of the tree. */
final class ModuleTree {
  private static final Set<String> SKIPPED =
      Set.of("target", "node_modules", "archetype-resources", "old-plugins");

  private static final Pattern TOP_LEVEL = Pattern.compile("^(?:[^A-Z.][^.]*\\.)*[A-Z][^.]*");

  private final Path root;
  private final List<Module> modules = new ArrayList<>();
  private final List<JavaFile> files = new ArrayList<>();
  private final Map<String, JavaFile> types = new HashMap<>();
  private final Map<String, Set<String>> owners = new HashMap<>();
  private final Set<String> exported = new HashSet<>();

  private ModuleTree(Path root) {
    this.root = root;
  }

  static ModuleTree read(Path root) {
    ModuleTree tree = new ModuleTree(root.toAbsolutePath().normalize());
    tree.readModules();
    tree.readSources();
    return tree;
  }

  Path root() {
    return root;
  }

  List<Module> modules() {
    return modules;
  }

  List<Module> bundles() {
    return modules.stream().filter(Module::isBundle).toList();
  }

  Optional<Module> module(String folder) {
    return modules.stream().filter(module -> module.folder().equals(folder)).findAny();
  }

  Optional<Module> withArtifact(String artifact) {
    return modules.stream().filter(module -> module.artifact().equals(artifact)).findAny();
  }

  List<JavaFile> files() {
    return files;
  }

  List<JavaFile> mainFiles() {
    return files.stream().filter(JavaFile::main).toList();
  }

  List<JavaFile> mainFiles(Module module) {
    return files.stream()
        .filter(file -> file.main() && file.module().equals(module.folder()))
        .toList();
  }

  /** Returns the main source file that declares a top-level type. */
  Optional<JavaFile> declaring(String type) {
    return Optional.ofNullable(types.get(type));
  }

  /** Returns the folders of the modules whose main code has a package, and the folders below. */
  Set<String> owners(String packageName) {
    return owners.getOrDefault(packageName, Set.of());
  }

  Set<String> packages() {
    return new TreeSet<>(owners.keySet());
  }

  boolean isExported(String packageName) {
    return exported.contains(packageName);
  }

  static String packageOf(String type) {
    int dot = type.lastIndexOf('.');
    return dot < 0 ? "" : type.substring(0, dot);
  }

  /**
   * Returns the top-level types that a file names, with their packages. Types of the same package
   * are found by the simple names that the code uses.
   */
  Set<String> references(JavaFile file) {
    Set<String> found = new TreeSet<>();
    Set<String> imported = new HashSet<>();
    for (String name : file.imports()) {
      if (name.endsWith(".*") && !name.matches(".*\\.[A-Z]\\w*\\.\\*")) {
        addDeclared(name.substring(0, name.length() - 2), file.names(), found);
      } else {
        String type = topLevel(name);
        found.add(type);
        imported.add(name.substring(name.lastIndexOf('.') + 1));
      }
    }
    file.qualified().forEach(name -> found.add(topLevel(name)));
    Set<String> local = new HashSet<>(file.names());
    local.removeAll(imported);
    addDeclared(file.packageName(), local, found);
    found.remove(file.qualifiedName());
    return found;
  }

  private void addDeclared(String packageName, Set<String> names, Set<String> found) {
    for (String name : names) {
      String type = packageName + "." + name;
      if (types.containsKey(type)) {
        found.add(type);
      }
    }
  }

  /** Returns the name up to the first part that starts with a capital letter. */
  private static String topLevel(String name) {
    Matcher type = TOP_LEVEL.matcher(name);
    return type.find() ? type.group() : name;
  }

  private void readModules() {
    PomReader poms = new PomReader(root);
    for (Path pom : find(root, "pom.xml")) {
      modules.add(poms.read(pom));
    }
  }

  private void readSources() {
    SourceParser parser = new SourceParser(root);
    for (Module module : modules) {
      Path folder = root.resolve(module.folder());
      files.addAll(
          parser.parse(module.folder(), true, find(folder.resolve("src/main/java"), ".java")));
      files.addAll(
          parser.parse(module.folder(), false, find(folder.resolve("src/test/java"), ".java")));
    }
    for (JavaFile file : mainFiles()) {
      owners.computeIfAbsent(file.packageName(), name -> new TreeSet<>()).add(file.module());
      file.types().forEach(type -> types.put(file.packageName() + "." + type.name(), file));
      if (file.exported()) {
        exported.add(file.packageName());
      }
    }
  }

  /** Returns the files below a folder whose name ends so, in order. */
  static List<Path> find(Path folder, String end) {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
              String name = at.getFileName().toString();
              boolean skipped =
                  !at.equals(folder)
                      && (name.startsWith(".")
                          || SKIPPED.contains(name)
                          || at.endsWith("releases/repository"));
              return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path at, BasicFileAttributes attributes) {
              if (at.getFileName().toString().endsWith(end)) {
                found.add(at);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    found.sort(null);
    return found;
  }
}
