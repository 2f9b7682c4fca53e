package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small filesystem that a test fills. */
final class FullDisk {
  private static final int CHUNK = 1 << 20;

  private FullDisk() {}

  /**
   * Makes and mounts a filesystem below a directory.
   *
   * @param size as mke2fs(8) takes it
   */
  static Path mount(Path directory, String size) throws IOException {
    Path disk = Files.createDirectory(directory.resolve("small"));
    Path image = directory.resolve("image");
    Command.of("mke2fs", "-q", "-t", "ext4", "-m", "0", image.toString(), size).run().succeeded();
    Command.of("mount", "-o", "loop", image.toString(), disk.toString()).run().succeeded();
    return disk;
  }

  /** Writes a file until the filesystem refuses a write for lack of space. */
  static void fill(Path ballast) {
    try (var out = Files.newOutputStream(ballast)) {
      byte[] data = new byte[CHUNK];
      while (true) {
        out.write(data);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}
