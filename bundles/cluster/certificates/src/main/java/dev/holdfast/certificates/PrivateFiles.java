package dev.holdfast.certificates;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner may read, such as keys and tokens. Replaced atomically. */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFiles() {}

  /**
   * Creates a directory and its parents, accessible by the owner only; does not change an existing
   * one.
   *
   * @throws IOException when it cannot be created
   */
  public static void createDirectory(Path directory) throws IOException {
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
  }

  /**
   * Writes a file with mode 0600, replacing an earlier one atomically; durable at the return.
   *
   * @param file the file; its directory exists
   * @param content the new content
   * @throws IOException when it cannot be written; an earlier file is unchanged then
   */
  public static void write(Path file, byte[] content) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Path draft = Files.createTempFile(directory, "." + file.getFileName(), ".new");
    try {
      try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
        ByteBuffer buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.force(true);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
