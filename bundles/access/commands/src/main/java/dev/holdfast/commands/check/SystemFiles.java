package dev.holdfast.commands.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Files with which the kernel and the system describe the host. Unreadable files count as empty.
 */
final class SystemFiles {
  private final Path root;

  /** Reads files below a directory, {@code /} for this host. */
  SystemFiles(Path root) {
    this.root = root;
  }

  boolean exists(String path) {
    return Files.exists(root.resolve(path));
  }

  List<String> lines(String path) {
    try {
      return Files.readAllLines(root.resolve(path));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Returns the names of running programs, truncated by the kernel to 15 characters. */
  Set<String> programs() {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> processes = Files.list(root.resolve("proc"))) {
      processes
          .filter(process -> process.getFileName().toString().matches("[0-9]+"))
          .forEach(process -> names.addAll(lines("proc/" + process.getFileName() + "/comm")));
    } catch (IOException e) {
      return names;
    }
    return names;
  }
}
