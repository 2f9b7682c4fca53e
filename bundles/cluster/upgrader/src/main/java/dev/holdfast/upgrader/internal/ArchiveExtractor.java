package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Unpacks a named archive into a folder that is deleted afterwards. */
final class ArchiveExtractor {
  private static final int UNPACK_SECONDS = 120;

  private ArchiveExtractor() {}

  /**
   * A file of an archive.
   *
   * @param name in the archive
   * @param file where it was unpacked
   */
  record Unpacked(String name, Path file) {}

  /**
   * Unpacks the files with a suffix under new names, because names in an archive may point outside
   * the folder.
   */
  static List<Unpacked> files(Path zipped, String ending, Path folder) throws IOException {
    List<Unpacked> files = new ArrayList<>();
    try (ZipFile zip = new ZipFile(zipped.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (entry.getName().endsWith(ending)) {
          Path file = folder.resolve("archived-" + files.size() + ending);
          try (InputStream in = zip.getInputStream(entry)) {
            Files.copy(in, file);
          }
          files.add(new Unpacked(entry.getName(), file));
        }
      }
    }
    return files;
  }

  /** Unpacks a complete {@code .tar.gz}; tar itself rejects names that point outside. */
  static void untar(Path archive, Path folder) throws UpgradeException, IOException {
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!tar.waitFor(UNPACK_SECONDS, TimeUnit.SECONDS) || tar.exitValue() != 0) {
        tar.destroyForcibly();
        throw new UpgradeException(archive + " cannot be unpacked by tar");
      }
    } catch (InterruptedException e) {
      tar.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new UpgradeException("interrupted while " + archive + " is unpacked", e);
    }
  }

  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
