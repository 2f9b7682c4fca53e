package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Jars below the data directory, each named after its content. Thread-safe. */
final class JarStore {
  private static final int NAME_LENGTH = 16;

  private final Path folder;

  JarStore(Path folder) {
    this.folder = folder;
  }

  /** Keeps a jar until {@link #retain}. Returns its path; the jar is durable then. */
  Path keep(JarContent content) throws IOException {
    BundleManifest manifest = content.manifest();
    Path file =
        folder.resolve(
            manifest.symbolicName()
                + "-"
                + manifest.version()
                + "-"
                + content.digest().substring(0, NAME_LENGTH)
                + ".jar");
    if (!Files.exists(file)) {
      Files.createDirectories(folder);
      Path written = Files.createTempFile(folder, "new", ".part");
      content.writeTo(written);
      sync(written);
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      sync(folder);
    }
    return file;
  }

  /** Deletes all jars except these. */
  void retain(Set<Path> wanted) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.list(folder)) {
      all = files.toList();
    }
    for (Path file : all) {
      if (!wanted.contains(file)) {
        Files.deleteIfExists(file);
      }
    }
  }

  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
