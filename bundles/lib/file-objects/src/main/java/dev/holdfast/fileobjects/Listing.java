package dev.holdfast.fileobjects;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One walk over the files below a root in the order of their keys. Keeps the names of one folder
 * per level, and enters only folders that can contain keys with the prefix after the given key.
 */
final class Listing {
  private final Path root;
  private final String prefix;
  private final String after;
  private final ObjectVisitor visitor;

  Listing(Path root, String prefix, String after, ObjectVisitor visitor) {
    this.root = root;
    this.prefix = prefix;
    this.after = after;
    this.visitor = visitor;
  }

  void run() throws IOException, StorageException {
    walk(root, "");
  }

  private void walk(Path folder, String base) throws IOException, StorageException {
    for (String name : names(folder)) {
      boolean isFolder = name.endsWith("/");
      String key = base + name;
      if (isFolder ? mayContain(key) : isWanted(key)) {
        Path path = folder.resolve(isFolder ? name.substring(0, name.length() - 1) : name);
        if (isFolder) {
          walk(path, key);
        } else {
          visit(key, path);
        }
      }
    }
  }

  private void visit(String key, Path file) throws IOException, StorageException {
    try {
      visitor.object(FileObjects.describe(key, file));
    } catch (NoSuchFileException e) {
      // Deleted since the folder was read.
      return;
    }
  }

  private boolean isWanted(String key) {
    return key.startsWith(prefix) && compare(key, after) > 0 && ObjectKeys.isValid(key);
  }

  /** Returns whether a folder, whose key ends in a slash, can contain wanted keys. */
  private boolean mayContain(String folder) {
    boolean matches = folder.startsWith(prefix) || prefix.startsWith(folder);
    return matches && (after.startsWith(folder) || compare(folder, after) > 0);
  }

  /** Returns the names in a folder in the order of keys; names of folders end in a slash. */
  private List<String> names(Path folder) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (!ObjectKeys.isValid(name)) {
          continue;
        }
        Optional<BasicFileAttributes> found = FileObjects.attributes(entry);
        if (found.filter(BasicFileAttributes::isDirectory).isPresent()) {
          names.add(name + "/");
        } else if (found.filter(BasicFileAttributes::isRegularFile).isPresent()) {
          names.add(name);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    } catch (NoSuchFileException e) {
      if (folder.equals(root) || FileObjects.attributes(folder).isPresent()) {
        throw e;
      }
      return List.of();
    }
    names.sort(Listing::compare);
    return names;
  }

  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
