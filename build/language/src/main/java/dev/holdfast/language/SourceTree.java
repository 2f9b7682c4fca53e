package dev.holdfast.language;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files of the tree that contain text for people. */
final class SourceTree {
  private static final Set<String> COMMENTED =
      Set.of(
          "sh",
          "py",
          "yaml",
          "yml",
          "xml",
          "proto",
          "c",
          "cfg",
          "properties",
          "service",
          "tpl",
          "go",
          "pl");
  private static final Set<String> SKIPPED = Set.of("target", "releases", "node_modules", "dist");

  private final Path root;

  SourceTree(Path root) {
    this.root = root;
  }

  /** Returns the files below a path of the tree, relative to the root, in order. */
  List<String> files(String below) {
    Path start = root.resolve(below);
    try (Stream<Path> paths = Files.walk(start)) {
      return paths
          .filter(Files::isRegularFile)
          .map(path -> root.relativize(path))
          .filter(SourceTree::isSource)
          .map(path -> path.toString().replace('\\', '/'))
          .filter(file -> !passagesAreUnknown(file))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSource(Path path) {
    for (Path part : path) {
      String name = part.toString();
      if (SKIPPED.contains(name) || (name.startsWith(".") && !name.equals(".ci"))) {
        return false;
      }
    }
    return true;
  }

  private boolean passagesAreUnknown(String file) {
    String type = type(file);
    return !type.equals("java")
        && !type.equals("md")
        && !COMMENTED.contains(type)
        && !(type.isEmpty() && startsWithShebang(file));
  }

  private boolean startsWithShebang(String file) {
    try (Stream<String> lines = Files.lines(root.resolve(file), StandardCharsets.ISO_8859_1)) {
      return lines.findFirst().filter(line -> line.startsWith("#!")).isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the passages of a file. */
  List<Passage> passages(String file) {
    String text = read(file);
    try {
      return switch (type(file)) {
        case "java" ->
            file.contains("/archetype-resources/")
                ? TextSource.commented(text)
                : JavaSource.read(text);
        case "md" -> TextSource.markdown(text);
        default -> TextSource.commented(text);
      };
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private String read(String file) {
    try {
      return Files.readString(root.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }

  private static String type(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return name.contains(".") ? name.substring(name.lastIndexOf('.') + 1) : "";
  }
}
