package dev.holdfast.language;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names, links and commands of the documents that are not in the tree.
 *
 * <p>Names are words in code format with two capitals or more, such as {@code BlockDevice}. They
 * must occur in the code of the tree. Links are those to files of the tree and to their headings.
 * Commands begin with {@code holdfast}.
 */
final class DocumentReferences {
  /** History: a class or command that it names may be removed or renamed later. */
  private static final List<String> REPORTS =
      List.of("docs/results/", "bench/results/", "docs/releases.md");

  private static final Pattern INLINE = Pattern.compile("`([^`]+)`");
  private static final Pattern NAME =
      Pattern.compile("(?<![\\w/*-])[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+(?![\\w-]*\\.[a-z]+/)");
  private static final Pattern TYPE =
      Pattern.compile("\\bdev(?:\\.[a-z][a-z0-9]*)+\\.[A-Z][A-Za-z0-9]*");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:^\\s*|[$;&|(\"']\\s*)(?:\\./)?(holdfast ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?)");
  private static final Pattern SHELL_COMMAND =
      Pattern.compile("(?<![\\w.])holdfast:([a-z]+)-[a-z-]+");

  private final Path root;
  private final List<String> files;
  private final Set<String> names;
  private final CommandNames commands;
  private final List<Finding> found = new ArrayList<>();

  private DocumentReferences(Path root) {
    this.root = root;
    this.files = new SourceTree(root).files("");
    this.names = CodeNames.of(root, files);
    this.commands = CommandNames.of(root, files);
  }

  /**
   * Returns the references of all documents that are not in the tree.
   *
   * @param root of the tree
   */
  static List<Finding> missing(Path root) {
    DocumentReferences references = new DocumentReferences(root);
    for (String file : references.files) {
      if (file.endsWith(".md") && !file.contains("/archetype-resources/")) {
        references.check(file);
      }
    }
    return references.found;
  }

  private void check(String file) {
    boolean code = false;
    int number = 0;
    for (String line : read(root.resolve(file)).split("\n", -1)) {
      number++;
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (code || line.startsWith("    ")) {
        checkCommands(file, number, line);
      } else {
        checkText(file, number, line);
      }
    }
  }

  private void checkText(String file, int number, String line) {
    for (Matcher inline = INLINE.matcher(line); inline.find(); ) {
      checkNames(file, number, inline.group(1));
      checkTypes(file, number, inline.group(1));
      checkCommands(file, number, inline.group(1));
    }
    for (Matcher link = LINK.matcher(line); link.find(); ) {
      String target = link.group(1);
      if (!target.matches("[a-z]+:.*") && !exists(file, target)) {
        add(file, number, target, "no such file or heading");
      }
    }
  }

  private void checkNames(String file, int number, String inline) {
    if (isReport(file)) {
      return;
    }
    for (Matcher name = NAME.matcher(inline); name.find(); ) {
      if (!names.contains(name.group()) && !isOfJava(name.group())) {
        add(file, number, name.group(), "no such name in the code");
      }
    }
  }

  private void checkTypes(String file, int number, String inline) {
    for (Matcher type = TYPE.matcher(inline); type.find() && !isReport(file); ) {
      String source = "/" + type.group().replace('.', '/') + ".java";
      if (files.stream().noneMatch(path -> path.endsWith(source))) {
        add(file, number, type.group(), "no such type");
      }
    }
  }

  private void checkCommands(String file, int number, String code) {
    if (isReport(file)) {
      return;
    }
    for (Matcher command = COMMAND.matcher(code); command.find(); ) {
      if (!commands.exists(command.group(2), command.group(3))) {
        add(file, number, command.group(1), "no such command");
      }
    }
    for (Matcher command = SHELL_COMMAND.matcher(code); command.find(); ) {
      String name = command.group().substring("holdfast:".length());
      if (commands.exists(command.group(1), null) && !commands.existsInShell(name)) {
        add(file, number, command.group(), "no such command in the Karaf shell");
      }
    }
  }

  private static boolean isReport(String file) {
    return REPORTS.stream().anyMatch(file::startsWith);
  }

  private static boolean isOfJava(String name) {
    try {
      Class.forName("java.lang." + name, false, null);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private boolean exists(String file, String target) {
    String[] parts = target.split("#", 2);
    Path path = root.resolve(file);
    if (!parts[0].isEmpty()) {
      path = path.resolveSibling(parts[0]).normalize();
    }
    if (!Files.exists(path)) {
      return false;
    }
    return parts.length == 1 || hasHeading(path, parts[1]);
  }

  private static boolean hasHeading(Path path, String anchor) {
    return Files.isRegularFile(path)
        && read(path)
            .lines()
            .filter(line -> line.startsWith("#"))
            .map(line -> anchor(line.replaceFirst("^#+", "")))
            .anyMatch(anchor::equals);
  }

  private static String anchor(String heading) {
    return heading.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
  }

  private void add(String file, int line, String word, String problem) {
    found.add(new Finding(file, line, word, problem));
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path.toString(), e);
    }
  }
}
