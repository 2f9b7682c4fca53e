package dev.holdfast.node.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identifier that a disk keeps of itself, in the file that Longhorn uses, so that a disk that
 * was moved, or is not mounted, is noticed, and a disk of Longhorn's is known.
 */
final class DiskIdentity {
  private static final String FILE = "longhorn-disk.cfg";
  private static final Pattern UUID_FIELD =
      Pattern.compile("\"diskUUID\"\\s*:\\s*\"([0-9A-Za-z-]{1,64})\"");
  private static final int LARGEST_FILE = 64 * 1024;

  private DiskIdentity() {}

  /** Returns the identifier, empty when the disk has none. */
  static Optional<String> read(Path disk) throws IOException {
    Path file = disk.resolve(FILE);
    try {
      if (Files.size(file) > LARGEST_FILE) {
        throw new IOException(file + " is too large to be a disk's identifier");
      }
      Matcher field = UUID_FIELD.matcher(Files.readString(file));
      if (!field.find()) {
        throw new IOException(file + " holds no diskUUID");
      }
      return Optional.of(field.group(1));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * Has the filesystem write something, the time that the file has anyway: that needs no space and
   * leaves nothing behind.
   */
  static void touch(Path disk) throws IOException {
    Path file = disk.resolve(FILE);
    Files.setLastModifiedTime(file, Files.getLastModifiedTime(file));
  }

  /** Returns the identifier; a disk without one gets a new one, durable when this returns. */
  static String readOrCreate(Path disk) throws IOException {
    Optional<String> present = read(disk);
    if (present.isPresent()) {
      return present.get();
    }
    String uuid = UUID.randomUUID().toString();
    Path written = disk.resolve(FILE + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer json =
          ByteBuffer.wrap(("{\"diskUUID\":\"" + uuid + "\"}").getBytes(StandardCharsets.UTF_8));
      while (json.hasRemaining()) {
        channel.write(json);
      }
      channel.force(true);
    }
    Files.move(written, disk.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(disk, StandardOpenOption.READ)) {
      directory.force(true);
    }
    return uuid;
  }
}
